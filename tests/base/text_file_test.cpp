#include "base/text_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "support/child.hpp"
#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

class TextFile : public testing::Test {
 protected:
  std::string read(std::string_view content) {
    return read_text_file(folder_.write("f.txt", content));
  }
  /// The complaint about a file with this content, without its path.
  std::string complaint(std::string_view content) {
    const std::string path = folder_.write("f.txt", content);
    const std::string message = user_error([&] { read_text_file(path); });
    EXPECT_EQ(message.rfind(path + ":", 0), 0u) << message;
    return message.substr(path.size() + 1);
  }

  const TemporaryFolder folder_;
};

TEST_F(TextFile, IsReadWholeAndUnchanged) {
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read("no newline at the end"), "no newline at the end");
  EXPECT_EQ(read("注意力\r\n\n\x7F"), "注意力\r\n\n\x7F");
  const std::string large(3000001, 'x');  // several reads
  EXPECT_EQ(read(large), large);
}

TEST_F(TextFile, OfATableAByteOrderMarkIsPassedOver) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_EQ(read_table_file(folder_.write("f.csv", mark + "a,b\n")), "a,b\n");
  EXPECT_EQ(read_table_file(folder_.write("f.csv", mark)), "");
  EXPECT_EQ(read_table_file(folder_.write("f.csv", "a" + mark)), "a" + mark);
  EXPECT_NE(complaint(mark + "a").find("byte-order mark"), std::string::npos);
}

TEST_F(TextFile, AMissingFileIsNamed) {
  const std::string path = folder_.file("missing.txt");
  EXPECT_EQ(user_error([&] { read_text_file(path); }),
            path + ": cannot be read: No such file or directory");
}

TEST_F(TextFile, AFolderIsRefused) {
  EXPECT_EQ(user_error([&] { read_text_file(folder_.path()); }),
            folder_.path() + ": is a folder, must be a text file");
}

TEST_F(TextFile, AFileThatMayNotBeReadIsRefused) {
  const std::string path = folder_.write("secret", "x");
  chmod(path.c_str(), 0);
  chmod(folder_.path().c_str(), 0755);
  EXPECT_EQ(run_without_rights([&] {
              return user_error([&] { read_text_file(path); }) ==
                     path + ": cannot be read: Permission denied";
            }),
            0);
}

TEST_F(TextFile, AByteOrderMarkIsRefused) {
  EXPECT_EQ(complaint("\xEF\xBB\xBFtext"),
            "1: must not start with a byte-order mark; save it as plain UTF-8");
}

TEST_F(TextFile, BytesThatAreNotUtf8AreRefusedWithTheirLine) {
  EXPECT_EQ(complaint("注\n意\nab\xC3\n"), "3: must be UTF-8 text, holds the byte 0xC3");
  EXPECT_EQ(complaint("\xFF\xFEt"), "1: must be UTF-8 text, holds the byte 0xFF");
}

TEST_F(TextFile, ANulByteIsRefusedWithItsLine) {
  EXPECT_EQ(complaint(std::string_view("a\nb\0c", 5)), "2: must be text, holds a NUL byte");
}

TEST_F(TextFile, TheSizeLimitIsInclusive) {
  const std::string path = folder_.write("f.txt", "12345");
  EXPECT_EQ(read_text_file(path, 5), "12345");
  EXPECT_EQ(user_error([&] { read_text_file(path, 4); }),
            path + ": must be no larger than 4 bytes");
}

TEST_F(TextFile, AnEndlessFileStopsAtTheLimit) {
  EXPECT_EQ(user_error([] { read_text_file("/dev/zero", 1000); }),
            "/dev/zero: must be no larger than 1000 bytes");
}

TEST_F(TextFile, APipeIsReadToItsEnd) {
  const std::string path = folder_.file("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const std::string large(300000, 'x');  // more than a pipe holds
  std::thread writer([&] {
    std::ofstream stream(path);
    stream << large << "end";
  });
  EXPECT_EQ(read_text_file(path), large + "end");
  writer.join();
}

}  // namespace
}  // namespace qkvlab

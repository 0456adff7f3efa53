#include "base/line_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

constexpr int64_t kLongest = 1'000'000;

std::vector<std::string> lines_of(const std::string& path, int64_t longest = kLongest) {
  std::vector<std::string> lines;
  LineReader reader(path, longest);
  for (std::string_view line = reader.next(); !line.empty(); line = reader.next()) {
    lines.emplace_back(line);
    EXPECT_EQ(reader.number(), static_cast<int64_t>(lines.size()));
  }
  return lines;
}

TEST(LineReader, GivesEveryLineWithItsNewline) {
  const TemporaryFolder folder;
  EXPECT_EQ(lines_of(folder.write("a", "one\n\nthree\n")),
            (std::vector<std::string>{"one\n", "\n", "three\n"}));
  EXPECT_EQ(lines_of(folder.write("b", "one\nno newline")),
            (std::vector<std::string>{"one\n", "no newline"}));
  EXPECT_EQ(lines_of(folder.write("c", "")), std::vector<std::string>{});
}

TEST(LineReader, LinesOfAllLengthsAreWholeWhereverAReadEnds) {
  std::string text;
  std::vector<std::string> expected;
  for (size_t length = 1; text.size() < 3'000'000; length = length * 2 % 600'011 + 1) {
    expected.push_back(std::string(length, static_cast<char>('a' + length % 26)) + "\n");
    text += expected.back();
  }
  const TemporaryFolder folder;
  EXPECT_EQ(lines_of(folder.write("a", text)), expected);
}

TEST(LineReader, ALineThatIsTooLongIsRefusedBeforeItIsRead) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "123\n1234\n");
  EXPECT_EQ(lines_of(path, 5), (std::vector<std::string>{"123\n", "1234\n"}));
  EXPECT_EQ(user_error([&] { lines_of(path, 4); }),
            path + ":2: a line must be no longer than 4 bytes");
  EXPECT_EQ(user_error([] { lines_of("/dev/zero"); }),
            "/dev/zero:1: a line must be no longer than 1000000 bytes");
}

TEST(LineReader, WhatCannotBeReadIsNamed) {
  const TemporaryFolder folder;
  EXPECT_EQ(user_error([&] { lines_of(folder.file("none")); }),
            folder.file("none") + ": cannot be read: No such file or directory");
  EXPECT_EQ(user_error([&] { lines_of(folder.path()); }),
            folder.path() + ": cannot be read: Is a directory");
}

}  // namespace
}  // namespace qkvlab

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/program.hpp"

namespace qkvlab {
namespace {

/// Bad input to any command: one line on stderr, exit code 2, nothing on stdout, no file left.
class BadInputTest : public testing::Test {
 protected:
  /// Runs `arguments` with an --out file and returns the complaint.
  std::string refusal(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--out", folder_.file("result")});
    const size_t before = folder_.entries().size();
    const ProgramRun run = run_qkvlab(arguments, folder_.path());
    EXPECT_EQ(run.exit_code, 2) << run.error;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.error.begin(), run.error.end(), '\n'), 1) << run.error;
    EXPECT_EQ(run.error.rfind("qkvlab: error: ", 0), 0U) << run.error;
    EXPECT_EQ(folder_.entries().size(), before) << "something was left behind";
    return run.error;
  }
  void expect(const std::string& complaint, const std::string& part) {
    EXPECT_NE(complaint.find(part), std::string::npos) << complaint;
  }

  TemporaryFolder folder_;
};

TEST_F(BadInputTest, FilesThatAreNotThere) {
  expect(refusal({"trace", "--file", "no.tsv"}), "no.tsv");
  expect(refusal({"attend", "no.json"}), "no.json");
}

TEST_F(BadInputTest, Folders) {
  expect(refusal({"trace", "--file", "/tmp"}), "/tmp: ");
  expect(refusal({"attend", "/tmp"}), "/tmp: ");
}

TEST_F(BadInputTest, TextThatIsNotUtf8) {
  expect(refusal({"trace", "--file", folder_.write("a.tsv", "1\ta\n0\t\xFF\xFE\n")}), "a.tsv:2: ");
  expect(refusal({"attend", folder_.write("a.json", "{\n\"q\": \"\xC3(\"}")}), "a.json:2: ");
}

TEST_F(BadInputTest, AByteOrderMark) {
  expect(refusal({"trace", "--file",
                  folder_.write("a.tsv",
                                "\xEF\xBB\xBF"
                                "1\ta\n0\tb\n")}),
         "byte-order mark");
  expect(refusal({"attend", folder_.write("a.json", "\xEF\xBB\xBF{}")}), "byte-order mark");
}

TEST_F(BadInputTest, TokenCountsOverTheLimit) {
  std::string sentence = "1\ta\n0\t";
  std::string rows = "[[1]";
  for (int i = 0; i < 4097; ++i) {
    sentence += "b ";
    rows += ",[1]";
  }
  expect(refusal({"trace", "--file", folder_.write("a.tsv", sentence)}),
         "a.tsv:2: has 4097 tokens, allowed are at most 4096");
  const std::string json = R"({"q": [[1]], "k": )" + rows + R"(], "v": [[1]]})";
  expect(refusal({"attend", folder_.write("a.json", json)}),
         "k: holds 4098 tokens, allowed are at most 4096");
}

TEST_F(BadInputTest, AnUnknownMode) {
  expect(refusal({"trace", "--mode", "unifrom"}), "did you mean 'uniform'?");
}

TEST_F(BadInputTest, WrongTypesAndShapes) {
  expect(refusal({"attend", folder_.write("a.json", R"({"q": 1, "k": [[1]], "v": [[1]]})")}),
         "a.json:1: q: must be an array, got");
  expect(refusal({"attend", folder_.write("b.json", R"({"q": [["x"]], "k": [[1]], "v": [[1]]})")}),
         "b.json:1: q[0][0]: must be a number, got a string");
  expect(refusal({"attend", folder_.write("c.json", R"({"q": [[1]], "k": [[1, 2]], "v": [[1]]})")}),
         "c.json:1: k: must have 1 column");
  expect(refusal({"trace", "--file", folder_.write("a.tsv", "1 a\n")}), "a.tsv:1: ");
}

TEST_F(BadInputTest, ASentenceThatIsNotThere) {
  const std::string file = folder_.write("a.tsv", "1\ta\n0\tb\n");
  expect(refusal({"trace", "--file", file, "--sentence", "3"}),
         "--sentence: must be an integer from 1 to 2");
}

TEST_F(BadInputTest, APlaceThatCannotBeWrittenTo) {
  const ProgramRun run =
      run_qkvlab({"attend", "configs/attend/padding_row.json", "--out", "/no/such/folder/x"});
  EXPECT_EQ(run.exit_code, 2);
  expect(run.error, "/no/such/folder/x: ");
}

TEST_F(BadInputTest, AFullDiskFailsWithExitCodeOne) {
  const std::vector<std::string> attend = {"attend", "configs/attend/padding_row.json"};
  const ProgramRun to_stdout = run_qkvlab(attend, QKVLAB_SOURCE_FOLDER, "/dev/full");
  EXPECT_EQ(to_stdout.exit_code, 1);
  expect(to_stdout.error, "standard output: No space left on device");
  const ProgramRun to_file = run_qkvlab({attend[0], attend[1], "--out", "/dev/full"});
  EXPECT_EQ(to_file.exit_code, 1);
  expect(to_file.error, "No space left on device");
}

TEST_F(BadInputTest, TheInputIsNotOverwritten) {
  const std::string file = folder_.write("a.tsv", "1\ta\n0\tb\n");
  std::filesystem::create_symlink(file, folder_.file("link"));
  const ProgramRun run = run_qkvlab({"trace", "--file", file, "--out", folder_.file("link")});
  EXPECT_EQ(run.exit_code, 2);
  expect(run.error, "is the input itself");
  EXPECT_EQ(TemporaryFolder::read(file), "1\ta\n0\tb\n");
}

TEST_F(BadInputTest, AMessageIsOneWholeLineWhateverTheFileIsCalled) {
  expect(refusal({"trace", "--file", "no\nsuch.tsv"}), "such.tsv: no such file");
}

TEST_F(BadInputTest, AFileNameThatIsNotUtf8IsTraced) {
  const std::string file = folder_.write("a\xFF.tsv", "1\ta\n0\tb\n");
  const ProgramRun run = run_qkvlab({"trace", "--file", file, "--format", "jsonl"});
  EXPECT_EQ(run.exit_code, 0) << run.error;
}

TEST_F(BadInputTest, ATokenCannotActOnTheTerminal) {
  const std::string file = folder_.write("a.tsv", "1\t\x1B[31mred\n0\tb\n");
  const ProgramRun run = run_qkvlab({"trace", "--file", file, "--epochs", "0"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out.find('\x1B'), std::string::npos);
}

}  // namespace
}  // namespace qkvlab

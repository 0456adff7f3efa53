#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/terminal.hpp"
#include "support/program.hpp"
#include "support/recorded_experiment.hpp"

namespace qkvlab {
namespace {

using Arguments = std::vector<std::string>;

std::set<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::set<std::string> words;
  for (std::string word; stream >> word;) words.insert(word);
  return words;
}

/// What is drawn, such as the line under an example that goes on, and no word.
bool is_drawn(const std::string& word) { return word == "\\"; }

class WidthTest : public testing::Test {
 protected:
  WidthTest() {
    folder_.write("small.json", R"({
      "task": {"kind": "majority", "symbols": 3, "length": 5, "test_examples": 20},
      "model": {"kind": "transformer", "d_model": 8, "n_layers": 1, "max_length": 5, "causal": false,
                "tie_head": false},
      "training": {"steps": 4, "batch_size": 4},
      "ablation": {"variants": {"full": {}, "identity_qkv": {}, "none": {}}, "seeds": "0..2"}})");
    folder_.write("r.jsonl", RecordedExperiment().lines());
  }

  std::string printed(const Arguments& arguments, int columns,
                      const std::string& locale = "C.UTF-8") const {
    ProgramSetting setting;
    setting.directory = folder_.path();
    setting.environment = {{"COLUMNS", std::to_string(columns)}, {"LC_ALL", locale}};
    const ProgramRun run = run_qkvlab(arguments, setting);
    EXPECT_EQ(run.exit_code, 0) << run.error;
    return run.out;
  }

  /// All that prints tables or prose. `ablate` has trained before: it says what came of it.
  static std::vector<Arguments> commands() {
    std::vector<Arguments> all = {{"ablate", "small.json"},
                                  {"compare", "runs/small"},
                                  {"compare", "r.jsonl", "--metric", "test.accuracy"},
                                  {"trace", "--epochs", "3"},
                                  {"trace", "small.json"},
                                  {"attend", "configs/attend/padding_row.json"},
                                  {"doctor"},
                                  {"--help"}};
    for (const char* command : {"trace", "train", "ablate", "compare", "show", "report", "attend",
                                "doctor", "check", "schema"}) {
      all.push_back({"help", command});
    }
    return all;
  }

  const TemporaryFolder folder_;
};

TEST_F(WidthTest, NoLineIsWiderAndNoWordIsBrokenOrLost) {
  printed({"ablate", "small.json"}, 80);
  for (const Arguments& command : commands()) {
    if (command.front() == "doctor") continue;  // it measures anew each time
    const std::set<std::string> all = words_of(printed(command, 1000));
    for (const int columns : {40, 60, 80, 120}) {
      const std::string out = printed(command, columns);
      std::istringstream lines(out);
      for (std::string line; std::getline(lines, line);) {
        // A single word that is wider, such as a path, stays whole.
        const bool is_a_word = words_of(line).size() <= 1;
        EXPECT_TRUE(display_width(line) <= static_cast<size_t>(columns) || is_a_word)
            << command.front() << " in " << columns << " columns: " << line;
      }
      for (const std::string& word : words_of(out)) {
        EXPECT_TRUE(is_drawn(word) || all.count(word) == 1)
            << command.front() << " in " << columns << " columns: " << word;
      }
      for (const std::string& word : all) {
        EXPECT_EQ(words_of(out).count(word), 1U)
            << command.front() << " in " << columns << " columns lacks " << word;
      }
    }
  }
}

TEST_F(WidthTest, WithoutATerminalItIsEightyColumns) {
  ProgramSetting setting;
  setting.directory = folder_.path();
  const Arguments compare = {"compare", "r.jsonl"};
  EXPECT_EQ(run_qkvlab(compare, setting).out, printed(compare, 80));
  ASSERT_EQ(run_qkvlab({"compare", "r.jsonl", "--out", "a.txt"}, setting).exit_code, 0);
  EXPECT_EQ(TemporaryFolder::read(folder_.file("a.txt")), printed(compare, 80));
  for (const char* nonsense : {"0", "-3", "wide", "99999999999"}) {
    setting.environment = {{"COLUMNS", nonsense}};
    EXPECT_EQ(run_qkvlab(compare, setting).out, printed(compare, 80)) << nonsense;
  }
}

TEST_F(WidthTest, FormatsForProgramsDoNotDependOnIt) {
  for (const char* format : {"markdown", "csv", "json"}) {
    const Arguments compare = {"compare", "r.jsonl", "--format", format};
    EXPECT_EQ(printed(compare, 40), printed(compare, 1000)) << format;
  }
}

TEST_F(WidthTest, ALocaleThatIsNotUtf8GetsAscii) {
  for (const Arguments& command : commands()) {
    const std::string out = printed(command, 80, "C");
    if (command.front() == "trace" && command.size() == 3) continue;  // its words are Chinese
    EXPECT_TRUE(std::all_of(out.begin(), out.end(),
                            [](char letter) { return static_cast<unsigned char>(letter) < 0x80; }))
        << command.front() << ": " << out;
  }
  EXPECT_NE(printed({"ablate", "small.json"}, 80, "C").find(" +- "), std::string::npos);
  EXPECT_NE(printed({"compare", "r.jsonl"}, 80, "C").find("delta = variant - full"),
            std::string::npos);
}

}  // namespace
}  // namespace qkvlab

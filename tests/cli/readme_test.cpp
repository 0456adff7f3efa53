#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>

#include "support/program.hpp"

namespace qkvlab {
namespace {

/// One command of the README's console blocks and the output that it shows.
struct Example {
  std::vector<std::string> arguments;
  std::vector<std::string> shown;
};

constexpr const char* kPrompt = "$ ./scripts/qkvlab ";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<Example> examples_of(const std::string& markdown) {
  std::vector<Example> examples;
  bool in_console = false;
  for (const std::string& line : lines_of(markdown)) {
    if (line.rfind("```", 0) == 0) {
      in_console = line == "```console";
    } else if (in_console && line.rfind(kPrompt, 0) == 0) {
      std::istringstream words(line.substr(std::string(kPrompt).size()));
      examples.emplace_back();
      for (std::string word; words >> word;) examples.back().arguments.push_back(word);
    } else if (in_console && !examples.empty()) {
      examples.back().shown.push_back(line);
    }
  }
  return examples;
}

/// A line without the time at its end, which is measured on the spot, and with single blanks: how
/// wide the times are decides how far the columns stand apart.
std::string comparable(const std::string& line) {
  static const std::regex time_at_the_end(R"(\s+(time/run|[0-9.e+]+ m?s)$)"), blanks(" +");
  return std::regex_replace(std::regex_replace(line, time_at_the_end, ""), blanks, " ");
}

/// Whether a line says the same in numbers that differ in their last digits at most: training
/// rounds otherwise on another processor.
bool equal_but_for_rounding(const std::string& shown, const std::string& printed) {
  static const std::regex number(R"([0-9]+(\.[0-9]+)?(e-?[0-9]+)?)");
  if (std::regex_replace(shown, number, "#") != std::regex_replace(printed, number, "#")) {
    return false;
  }
  auto left = std::sregex_iterator(shown.begin(), shown.end(), number);
  auto right = std::sregex_iterator(printed.begin(), printed.end(), number);
  for (; left != std::sregex_iterator(); ++left, ++right) {
    const double one = std::stod(left->str()), other = std::stod(right->str());
    constexpr double kRounding = 2e-3;
    if (std::abs(one - other) > kRounding * std::abs(one)) return false;
  }
  return true;
}

/// Every command of the README, one after the other in a folder of their own, prints what the
/// README says it prints, line by line; "…" on a line of its own stands for lines left out. What is
/// measured on the spot is not compared.
TEST(Readme, ItsExamplesAreWhatTheProgramPrints) {
  const auto examples = examples_of(TemporaryFolder::read(QKVLAB_SOURCE_FOLDER "/README.md"));
  ASSERT_GE(examples.size(), 3U);
  const TemporaryFolder folder;
  setenv("LC_ALL", "C.UTF-8", 1);  // elsewhere show draws in ASCII
  std::filesystem::create_directory_symlink(QKVLAB_SOURCE_FOLDER "/tests", folder.file("tests"));
  for (const Example& example : examples) {
    if (example.arguments.front() == "doctor") continue;
    const ProgramRun run = run_qkvlab(example.arguments, folder.path());
    ASSERT_EQ(run.exit_code, 0) << run.error;
    std::vector<std::string> printed = lines_of(run.out);
    std::vector<std::string> expected = example.shown;
    const std::string& command = example.arguments.front();
    if (command == "ablate" || command == "compare") {
      std::transform(printed.begin(), printed.end(), printed.begin(), comparable);
      std::transform(expected.begin(), expected.end(), expected.begin(), comparable);
    }
    const auto equal = [&](const std::string& shown, const std::string& line) {
      return command == "compare" || command == "show" ? equal_but_for_rounding(shown, line)
                                                       : shown == line;
    };
    size_t at = 0;
    bool may_skip = false;
    for (const std::string& shown : expected) {
      if (shown == "…") {
        may_skip = true;
        continue;
      }
      while (may_skip && at < printed.size() && !equal(shown, printed[at])) ++at;
      ASSERT_LT(at, printed.size()) << "not printed: " << shown;
      EXPECT_TRUE(equal(shown, printed[at]))
          << shown << " is shown, and printed is " << printed[at];
      ++at;
      may_skip = false;
    }
  }
}

}  // namespace
}  // namespace qkvlab

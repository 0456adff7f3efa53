#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/csv.hpp"
#include "report/comparison_figures.hpp"
#include "report/comparison_json.hpp"
#include "report/comparison_tables.hpp"
#include "support/recorded.hpp"

namespace qkvlab {
namespace {

using nlohmann::json;
using Section = ComparisonFigure::Section;

/// One variant that is paired, one that is not, one that diverged, and a name that needs care.
Comparison example() {
  std::vector<Observation> observations = observations_of("full", {1, 2, 3, 4, 5, 6}) +
                                          observations_of("a|b,\"<c>", {2, 2, 5, 4, 6, 8});
  std::vector<Observation> apart = observations_of("apart", {7, 8, 9});
  for (Observation& one : apart) one.seed += 50;
  std::vector<Observation> broken = observations_of("broken", {1});
  broken[0].outcome = Outcome::kDiverged;
  ComparisonChoice choice;
  choice.metric = "test.loss";
  choice.higher_is_better = false;
  return compare(observations + apart + broken, choice).front();
}

std::string object_of(Section section) {
  if (section == Section::kVariant) return "";
  return section == Section::kUnpaired ? "unpaired" : "paired";
}

TEST(ComparisonOutput, JsonHasEveryFigureOfEveryVariant) {
  const Comparison comparison = example();
  const json whole = json::parse(comparison_json({comparison}, "", {"left out: much."}));
  EXPECT_EQ(whole.at("metric"), "test.loss");
  EXPECT_EQ(whole.at("baseline"), "full");
  EXPECT_EQ(whole.at("paired_by"), "seed");
  EXPECT_EQ(whole.at("cells"), json::array());
  EXPECT_EQ(whole.at("notes").back(), "left out: much.");
  ASSERT_EQ(whole.at("variants").size(), 4u);
  size_t nulls = 0;
  for (size_t i = 0; i < 4; ++i) {
    const VariantComparison& variant = comparison.variants[i];
    const json& object = whole.at("variants")[i];
    EXPECT_EQ(object.at("variant"), variant.variant);
    for (const ComparisonFigure& figure : comparison_figures()) {
      if (!has_section(variant, figure.section)) continue;
      const std::string part = object_of(figure.section);
      const json& found = (part.empty() ? object : object.at(part)).at(figure.key);
      const auto numbers = figure.of(variant);
      if (!numbers.value) {
        EXPECT_TRUE(found.is_null()) << figure.key;
        EXPECT_FALSE(numbers.reason.empty()) << figure.key << " must say why there is none";
        ++nulls;
      } else if (numbers.value->size() == 2) {
        EXPECT_EQ(found, json(*numbers.value)) << figure.key;
      } else {
        EXPECT_EQ(found.get<double>(), numbers.value->front()) << figure.key;
      }
    }
  }
  EXPECT_GT(nulls, 10u) << "the variant that diverged has hardly a figure";
  EXPECT_TRUE(whole.at("variants")[0].at("paired").is_null());
}

TEST(ComparisonOutput, JsonOfSeveralTablesNamesTheirField) {
  Comparison comparison = example();
  comparison.group = "sort";
  const json whole = json::parse(comparison_json({comparison, comparison}, "task", {}));
  EXPECT_EQ(whole.at("by"), "task");
  ASSERT_EQ(whole.at("tables").size(), 2u);
  EXPECT_EQ(whole.at("tables")[1].at("group"), "sort");
  EXPECT_EQ(whole.at("tables")[1].at("variants").size(), 4u);
}

TEST(ComparisonOutput, KeysAreUniqueWithinTheirObject) {
  std::set<std::string> keys;
  for (const ComparisonFigure& figure : comparison_figures()) {
    EXPECT_TRUE(keys.insert(object_of(figure.section) + "." + figure.key).second) << figure.key;
  }
}

TEST(ComparisonOutput, CsvHasALineForEachVariantAndReadsBack) {
  const Comparison comparison = example();
  std::vector<std::vector<std::string>> lines;
  read_csv(comparison_csv_titles() + comparison_csv(comparison), "c.csv",
           [&](const auto& fields, int64_t) { lines.push_back(fields); });
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[2][4], "a|b,\"<c>");
  const auto column = [&](const std::string& title) {
    const auto found = std::find(lines[0].begin(), lines[0].end(), title);
    EXPECT_NE(found, lines[0].end()) << title;
    return static_cast<size_t>(found - lines[0].begin());
  };
  EXPECT_EQ(std::stod(lines[2][column("paired_mean")]), 1.0);
  EXPECT_EQ(lines[1][column("paired_mean")], "") << "the baseline has no difference to itself";
  EXPECT_EQ(std::stod(lines[3][column("unpaired_mean")]), 4.5);
  EXPECT_EQ(std::stod(lines[1][column("mean_ci_low")]), comparison.variants[0].mean_ci.value->low);
}

TEST(ComparisonOutput, MarkdownTablesHaveAsManyCellsInEveryLine) {
  std::istringstream text(comparison_markdown(example()));
  size_t tables = 0, cells = 0;
  for (std::string line; std::getline(text, line);) {
    if (line.empty() || line[0] != '|') {
      cells = 0;
      continue;
    }
    size_t bars = 0;
    for (size_t i = 0; i < line.size(); ++i) {
      bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
    }
    if (cells == 0) ++tables;
    EXPECT_TRUE(cells == 0 || bars == cells) << line;
    cells = bars;
  }
  EXPECT_EQ(tables, 4u);
}

TEST(ComparisonOutput, TextShowsCountsOfWhatIsMissingOnlyWhereSomeIs) {
  const std::string text = comparison_text(example());
  EXPECT_NE(text.find("  diverged  "), std::string::npos) << text;
  EXPECT_EQ(text.find("not reached"), std::string::npos) << text;
  EXPECT_NE(text.find("Δ = variant − full, paired by seed"), std::string::npos) << text;
}

}  // namespace
}  // namespace qkvlab

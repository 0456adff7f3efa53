#include "report/page.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "report/comparison_json.hpp"
#include "report/page_assets.hpp"
#include "statistics/observations.hpp"
#include "support/recorded_experiment.hpp"
#include "support/temporary_folder.hpp"

namespace qkvlab {
namespace {

using Json = nlohmann::json;

const std::string kHostile = "</script><img src=x onerror=alert(1)><!--\u2028\u202E\"'&";

/// A page and what is in it.
class Page : public testing::Test {
 protected:
  void write(const RecordedExperiment& experiment) {
    content_ = {};
    content_.paths = {folder_.write("records.jsonl", experiment.lines())};
    ReadingChoice choice;
    choice.wants_series = wants_for_page;
    choice.visit_attention = [&](const RecordedRun& run, const AttentionRecord& map) {
      content_.maps.add(run, map);
    };
    content_.recording = read_recording(content_.paths, choice);
    ObservationChoice observation;
    observation.metric.name = content_.metric = "test.loss";
    const Observations observed = observe_runs(content_.recording, observation);
    ComparisonChoice comparison;
    comparison.metric = "test.loss at the end";
    content_.comparisons = compare(observed.all, comparison);
    content_.comparison_json = comparison_json(content_.comparisons, "", {});
    content_.date = "2026-11-30";
    html_.clear();
    write_page(content_, [&](std::string_view piece) { html_ += piece; });
  }

  size_t count(const std::string& text) const {
    size_t found = 0;
    for (size_t at = html_.find(text); at != std::string::npos; at = html_.find(text, at + 1)) {
      ++found;
    }
    return found;
  }

  /// What an element with these attributes holds.
  std::string script(const std::string& attributes) const {
    const std::string open = "<script type=\"application/json\" " + attributes + ">";
    const size_t begin = html_.find(open);
    EXPECT_NE(begin, std::string::npos) << attributes;
    return html_.substr(begin + open.size(), html_.find("</script>", begin) - begin - open.size());
  }

  const TemporaryFolder folder_;
  PageContent content_;
  std::string html_;
};

TEST_F(Page, ItsComparisonIsThatOfCompareByteForByte) {
  write({});
  EXPECT_EQ(script("id=\"comparison\""), content_.comparison_json);
}

TEST_F(Page, ItsTablesHoldTheExactNumbersOfTheJson) {
  write({});
  const Json json = Json::parse(content_.comparison_json);
  for (const Json& variant : json["variants"]) {
    for (const char* key : {"mean", "sd", "median", "iqm"}) {
      EXPECT_GE(count("data-key=\"" + std::string(key) + "\"><data value=\"" + variant[key].dump() +
                      "\">"),
                1u)
          << variant["variant"] << " " << key;
    }
    if (variant["paired"].is_null()) continue;
    for (const char* key : {"mean", "p_sign_flip", "d_z"}) {
      if (variant["paired"][key].is_null()) continue;
      EXPECT_GE(count("<data value=\"" + variant["paired"][key].dump() + "\">"), 1u) << key;
    }
  }
}

TEST_F(Page, EverySeedIsADotInBothFigures) {
  write({});
  // Six seeds in two figures, each one path that has a dot per row.
  EXPECT_EQ(count("<path class=\"dots\""), 12u);
  EXPECT_EQ(count("<path class=\"join\""), 6u);
  const size_t first = html_.find("<path class=\"dots\"");
  const std::string path = html_.substr(first, html_.find("/>", first) - first);
  EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 2) << "differences: two rows";
}

TEST_F(Page, WithoutScriptsThereAreDrawingsTablesAndMaps) {
  write({});
  EXPECT_EQ(count("<figure class=\"curve\""), 5u);  // three and the entropy of one head, loss
  EXPECT_EQ(count("<path class=\"line v0\""), 5u + 3)
      << "full: curves, legend, table, row of values";
  EXPECT_EQ(count("<svg viewBox=\"0 0 656 "), 2u);
  EXPECT_EQ(count("class=\"map\""), 4u) << "the first and last map of two variants";
  EXPECT_EQ(count("<figure"), count("<figcaption>")) << "every figure is told in words";
  EXPECT_EQ(count("<svg"), count("role=\"img\"") + count("aria-hidden=\"true\""));
}

TEST_F(Page, ItSaysHowToRepeatIt) {
  write({});
  EXPECT_EQ(count("no one command repeats it"), 1u) << "records alone do not tell of the ablation";
  EXPECT_EQ(count("<code>model.attention.mode</code>"), 1u);
  EXPECT_EQ(count("<code>random.seed</code>"), 0u);
  EXPECT_EQ(count("a &lt;fast&gt; one"), 1u);
}

TEST_F(Page, WhatRecordsSayIsNeverMarkup) {
  RecordedExperiment plain, hostile;
  write(plain);
  const size_t elements = count("<"), scripts = count("<script");
  hostile.variants = {"full", kHostile, "none"};
  hostile.tokens = {kHostile, "", "a"};
  write(hostile);
  EXPECT_EQ(count("<"), elements) << "as many elements as with plain names";
  EXPECT_EQ(count("<script"), scripts);
  EXPECT_EQ(count("<img"), 0u);
  EXPECT_EQ(count("<!--"), 0u);
  const std::string json = script("id=\"comparison\"");
  html_.erase(html_.find(json), json.size());
  EXPECT_EQ(count("\u202E"), 0u) << "nothing turns the direction of writing about";
  EXPECT_EQ(Json::parse(json)["variants"][1]["variant"], kHostile);
}

TEST_F(Page, BrowsersMayRunItsTwoScriptsAndNothingElse) {
  write({});
  EXPECT_EQ(count("default-src 'none'; script-src 'sha256-"), 1u);
  EXPECT_EQ(count("unsafe"), 0u);
  ASSERT_EQ(count(std::string(kDygraphs.text)), 1u);
  html_.erase(html_.find(kDygraphs.text), kDygraphs.text.size());
  for (const char* forbidden :
       {" style=\"", " onclick", " onload", "http-equiv=\"refresh", "<link"}) {
    EXPECT_EQ(count(forbidden), 0u) << forbidden;
  }
  EXPECT_EQ(count("Permission is hereby granted, free of charge"), 1u) << "its licence goes along";
}

TEST_F(Page, IdentifiersAreUsedOnce) {
  write({});
  std::set<std::string> ids;
  for (size_t at = html_.find(" id=\""); at != std::string::npos;
       at = html_.find(" id=\"", at + 1)) {
    const std::string id = html_.substr(at + 5, html_.find('"', at + 5) - at - 5);
    EXPECT_TRUE(ids.insert(id).second) << id;
  }
  for (size_t at = html_.find("href=\"#"); at != std::string::npos;
       at = html_.find("href=\"#", at + 1)) {
    const std::string id = html_.substr(at + 7, html_.find('"', at + 7) - at - 7);
    EXPECT_EQ(ids.count(id), 1u) << "a link to " << id;
  }
}

TEST_F(Page, WithoutAttentionThereIsNoSectionOfIt) {
  RecordedExperiment experiment;
  experiment.maps = 0;
  write(experiment);
  EXPECT_EQ(count("id=\"attention\""), 0u);
  EXPECT_EQ(count("#attention"), 0u);
  EXPECT_EQ(count("class=\"maps\""), 0u);
}

TEST_F(Page, AllMapsAreInIt) {
  RecordedExperiment experiment;
  experiment.maps = 5;
  write(experiment);
  const Json index = Json::parse(script("id=\"maps\""));
  EXPECT_EQ(index["maps"].size(), 11u * 5 * 6 * 2);
  EXPECT_EQ(Json::parse(script("class=\"maps\"")).size(), 5u * 6 * 2);
}

TEST_F(Page, ItsOwnPartIsSmall) {
  RecordedExperiment experiment;
  experiment.maps = 0;
  write(experiment);
  EXPECT_LT(html_.size(), 300'000u);
}

TEST_F(Page, WhatReadingLeftOutIsTold) {
  write({});
  EXPECT_EQ(count("id=\"left-out\""), 0u);
  const TemporaryFolder folder;
  content_.recording.left_out = {"r.jsonl:7: <broken>"};
  html_.clear();
  write_page(content_, [&](std::string_view piece) { html_ += piece; });
  EXPECT_EQ(count("r.jsonl:7: &lt;broken&gt;"), 1u);
}

}  // namespace
}  // namespace qkvlab

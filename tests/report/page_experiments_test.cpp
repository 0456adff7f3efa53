#include "report/page_experiments.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "record/experiment_file.hpp"
#include "support/recorded_experiment.hpp"
#include "support/temporary_folder.hpp"

namespace qkvlab {
namespace {

RecordedRun configured_run(const std::string& variant, int64_t seed,
                           const std::string& place = "r.jsonl") {
  RecordedRun run;
  run.begin.experiment = "an experiment";
  run.begin.variant = variant;
  run.begin.seed = seed;
  run.begin.config =
      R"({"record":{},"mode":")" + variant + R"(","random":{"seed":)" + std::to_string(seed) + "}}";
  run.file = place;
  return run;
}

std::string html_of(const std::vector<RecordedRun>& runs) {
  Recording recording;
  recording.runs = runs;
  return experiments_html(recording);
}

bool has(const std::string& html, const std::string& part) {
  return html.find(part) != std::string::npos;
}

/// Runs of a folder whose groups are these.
std::vector<RecordedRun> runs_in(
    const TemporaryFolder& folder,
    const std::vector<std::pair<std::string, std::vector<int64_t>>>& groups,
    const std::string& config, const std::vector<Cell>& cells = {}) {
  ExperimentFile file;
  file.config = config;
  file.identity = file.environment = "{}";
  std::vector<RecordedRun> runs;
  for (const auto& [variant, seeds] : groups) {
    RunGroup group{variant, {}};
    if (!cells.empty()) group.cell = cells[file.groups.size()];
    for (const int64_t seed : seeds) {
      group.runs.push_back({std::to_string(file.groups.size()) + "-" + std::to_string(seed), seed});
      runs.push_back(configured_run(variant, seed));
      runs.back().folder = folder.path();
      runs.back().begin.cell = group.cell;
    }
    file.groups.push_back(group);
  }
  write_experiment_file(folder.file("experiment.json"), file);
  return runs;
}

const std::string kToTheBit = "to the last bit on the machine below";

TEST(PageExperiments, SeveralVariantsAreAblatedAgain) {
  const TemporaryFolder folder;
  const std::string html = html_of(
      runs_in(folder, {{"full", {0, 1}}, {"it's", {0, 1}}}, R"({"of":"the folder","record":{}})"));
  EXPECT_TRUE(
      has(html,
          "<code>qkvlab ablate an_experiment.json --variant full --variant &#39;it&#39;\\&#39;"
          "&#39;s&#39; --seeds 0,1 --out repeated</code>"))
      << html;
  EXPECT_TRUE(has(html, kToTheBit));
  EXPECT_TRUE(has(html, "<a download=\"an_experiment.json\" href=\"data:application/json;base64,"));
}

TEST(PageExperiments, AnAblationOfOneVariantIsAblatedAgainSinceItsSeedsWereStacked) {
  const TemporaryFolder folder;
  const std::string html =
      html_of(runs_in(folder, {{"full", {0, 1, 2}}}, R"({"of":"the folder","record":{}})"));
  EXPECT_TRUE(has(html, "qkvlab ablate an_experiment.json --variant full --seeds 0..2 "));
  EXPECT_FALSE(has(html, "qkvlab train"));
  EXPECT_TRUE(has(html, "&quot;of&quot;: &quot;the folder&quot;"));
}

TEST(PageExperiments, GroupsThatOneCommandWouldDealOtherwiseArePromisedButForRounding) {
  for (const auto& groups : std::vector<std::vector<std::pair<std::string, std::vector<int64_t>>>>{
           {{"full", {0, 1, 2}}, {"full", {3}}}, {{"full", {0, 1}}, {"none", {0}}}}) {
    const TemporaryFolder folder;
    const std::string html = html_of(runs_in(folder, groups, R"({"record":{}})"));
    EXPECT_TRUE(has(html, "qkvlab ablate"));
    EXPECT_FALSE(has(html, kToTheBit));
    EXPECT_TRUE(has(html, "but for rounding"));
  }
}

TEST(PageExperiments, OneVariantIsTrainedAgainSeedBySeed) {
  EXPECT_TRUE(has(html_of({configured_run("full", 7)}),
                  "<code>qkvlab train an_experiment.json random.seed=7 --out repeated</code>"));
  const std::string html = html_of({configured_run("full", 7), configured_run("full", 2)});
  EXPECT_TRUE(has(html,
                  "<code>for seed in 7 2; do\n  qkvlab train an_experiment.json "
                  "random.seed=$seed --out repeated\ndone</code>"));
  EXPECT_FALSE(has(html, kToTheBit)) << "records alone do not tell of groups";
  const TemporaryFolder folder;
  const std::string trained = html_of(runs_in(folder, {{"full", {7}}, {"full", {2}}}, "{}"));
  EXPECT_TRUE(has(trained, "for seed in 7 2; do")) << trained;
  EXPECT_TRUE(has(trained, kToTheBit)) << "each was trained alone";
}

TEST(PageExperiments, FilesOfOneExperimentAreToldOfTogether) {
  const std::string html =
      html_of({configured_run("full", 0, "a.jsonl"), configured_run("full", 1, "b.jsonl")});
  EXPECT_TRUE(has(html, "for seed in 0 1; do")) << html;
  const std::string several =
      html_of({configured_run("full", 0, "a.jsonl"), configured_run("none", 0, "b.jsonl")});
  EXPECT_TRUE(has(several, "no one command repeats it"));
  EXPECT_FALSE(has(several, "class=\"command\""));
}

TEST(PageExperiments, AConfigIsNotNamedLikeAnOption) {
  RecordedRun run = configured_run("full", 7);
  run.begin.experiment = "--help";
  EXPECT_TRUE(has(html_of({run}), "qkvlab train config--help.json random.seed=7"));
}

TEST(PageExperiments, VariantsDifferInTheirFieldsNotInTheirSeeds) {
  const std::string html = html_of({configured_run("full", 0), configured_run("none", 3)});
  EXPECT_TRUE(has(html, "<th scope=\"col\"><code>mode</code></th></tr>"));
  EXPECT_TRUE(has(html, "<code>&quot;none&quot;</code>"));
  EXPECT_FALSE(has(html, "<code>random.seed</code>"));
}

TEST(PageExperiments, ExperimentsOfOneNameKeepTheirFilesApart) {
  const std::string html =
      html_of({configured_run("full", 0, "a.jsonl"), configured_run("full", 0, "b.jsonl")});
  EXPECT_TRUE(has(html, "<code>a.jsonl</code>"));
  EXPECT_TRUE(has(html, "qkvlab train an_experiment-1.json random.seed=0 --out repeated-1<"));
  EXPECT_TRUE(has(html, "qkvlab train an_experiment-2.json random.seed=0 --out repeated-2<"));
}

TEST(PageExperiments, CellsOfAGridAreNotNamed) {
  const TemporaryFolder folder;
  std::vector<RecordedRun> runs = runs_in(
      folder,
      {{"full", {0}}, {"my training.steps=9", {0}}, {"full", {0}}, {"my training.steps=9", {0}}},
      R"({"of":"the folder","record":{},"ablation":{"grid":{"training.steps":[1,2]}}})",
      {{{"training.steps", "1"}},
       {{"training.steps", "1"}},
       {{"training.steps", "2"}},
       {{"training.steps", "2"}}});
  const std::string html = html_of(runs);
  EXPECT_TRUE(has(html, "--variant full --variant &#39;my training.steps=9&#39; --seeds 0 "))
      << html;
  EXPECT_TRUE(has(html, kToTheBit)) << "in each cell one command deals all seeds";
  EXPECT_TRUE(has(html, "&quot;of&quot;: &quot;the folder&quot;"));
}

TEST(PageExperiments, WhatTraceRecordedIsNotToBeTrained) {
  for (const char* config : {R"({"training":{}})", R"({"record":{},"trace":{"sample":1}})"}) {
    RecordedRun run = configured_run("full", 31);
    run.begin.config = config;
    const std::string html = html_of({run});
    EXPECT_FALSE(has(html, "qkvlab train")) << config;
    EXPECT_TRUE(has(html, "<a download=\"an_experiment.json\"")) << config;
  }
}

TEST(PageExperiments, MachinesThatDifferAreAllNamed) {
  std::vector<RecordedRun> runs = {configured_run("full", 0), configured_run("full", 1),
                                   configured_run("full", 2)};
  runs[0].begin.environment = {{"cpu", "one"}};
  runs[1].begin.environment = {{"cpu", "another"}, {"threads", "1"}};
  runs[2].begin.environment = {{"cpu", "one"}};
  EXPECT_TRUE(has(html_of(runs), "<dt>cpu</dt><dd>one and another</dd><dt>threads</dt><dd>1</dd>"));
}

}  // namespace
}  // namespace qkvlab

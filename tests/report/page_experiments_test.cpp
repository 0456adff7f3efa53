#include "report/page_experiments.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "record/experiment_file.hpp"
#include "support/recorded_experiment.hpp"
#include "support/temporary_folder.hpp"

namespace qkvlab {
namespace {

RecordedRun run_of(const std::string& variant, int64_t seed, const std::string& place = "r.jsonl") {
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

TEST(PageExperiments, SeveralVariantsAreAblatedAgain) {
  const std::string html =
      html_of({run_of("full", 0), run_of("full", 1), run_of("it's", 1), run_of("it's", 5)});
  EXPECT_TRUE(has(html,
                  "<code>qkvlab ablate an_experiment.json --variants &#39;full,it&#39;\\&#39;"
                  "&#39;s&#39; --seeds 0,1,5 --out repeated</code>"))
      << html;
  EXPECT_TRUE(has(html, "<a download=\"an_experiment.json\" href=\"data:application/json;base64,"));
}

TEST(PageExperiments, OneVariantIsTrainedAgainSeedBySeed) {
  EXPECT_TRUE(has(html_of({run_of("full", 7)}),
                  "<code>qkvlab train an_experiment.json random.seed=7 --out repeated</code>"));
  EXPECT_TRUE(has(html_of({run_of("full", 7), run_of("full", 2)}),
                  "<code>for seed in 7 2; do\n  qkvlab train an_experiment.json "
                  "random.seed=$seed --out repeated\ndone</code>"));
}

TEST(PageExperiments, VariantsDifferInTheirFieldsNotInTheirSeeds) {
  const std::string html = html_of({run_of("full", 0), run_of("none", 3)});
  EXPECT_TRUE(has(html, "<th scope=\"col\"><code>mode</code></th></tr>"));
  EXPECT_TRUE(has(html, "<code>&quot;none&quot;</code>"));
  EXPECT_FALSE(has(html, "<code>random.seed</code>"));
}

TEST(PageExperiments, ExperimentsOfOneNameKeepTheirFilesApart) {
  const std::string html = html_of({run_of("full", 0, "a.jsonl"), run_of("full", 0, "b.jsonl")});
  EXPECT_TRUE(has(html, "<code>a.jsonl</code>"));
  EXPECT_TRUE(has(html, "qkvlab train an_experiment-1.json random.seed=0 --out repeated-1<"));
  EXPECT_TRUE(has(html, "qkvlab train an_experiment-2.json random.seed=0 --out repeated-2<"));
}

TEST(PageExperiments, OfAFolderTheConfigIsTheFoldersAndCellsOfAGridAreNotNamed) {
  const TemporaryFolder folder;
  ExperimentFile file;
  file.config = R"({"of":"the folder","record":{},"ablation":{"grid":{"training.steps":[1,2]}}})";
  file.identity = file.environment = "{}";
  write_experiment_file(folder.file("experiment.json"), file);
  std::vector<RecordedRun> runs;
  for (const char* name : {"full training.steps=1", "my own training.steps=1",
                           "full training.steps=2", "my own training.steps=2"}) {
    runs.push_back(run_of(name, 0));
    runs.back().folder = folder.path();
  }
  const std::string html = html_of(runs);
  EXPECT_TRUE(has(html, "--variants &#39;full,my own&#39; --seeds 0 ")) << html;
  EXPECT_TRUE(has(html, "&quot;of&quot;: &quot;the folder&quot;"));
}

TEST(PageExperiments, WhatTraceRecordedIsNotToBeTrained) {
  for (const char* config : {R"({"training":{}})", R"({"record":{},"trace":{"sample":1}})"}) {
    RecordedRun run = run_of("full", 31);
    run.begin.config = config;
    const std::string html = html_of({run});
    EXPECT_FALSE(has(html, "qkvlab train")) << config;
    EXPECT_TRUE(has(html, "<a download=\"an_experiment.json\"")) << config;
  }
}

TEST(PageExperiments, MachinesThatDifferAreAllNamed) {
  std::vector<RecordedRun> runs = {run_of("full", 0), run_of("full", 1), run_of("full", 2)};
  runs[0].begin.environment = {{"cpu", "one"}};
  runs[1].begin.environment = {{"cpu", "another"}, {"threads", "1"}};
  runs[2].begin.environment = {{"cpu", "one"}};
  EXPECT_TRUE(has(html_of(runs), "<dt>cpu</dt><dd>one and another</dd><dt>threads</dt><dd>1</dd>"));
}

}  // namespace
}  // namespace qkvlab

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "statistics/observations.hpp"
#include "support/recorded.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

using Texts = std::vector<std::string>;

/// "full 0 d_model=8: 0.5" of every observation.
Texts texts(const Observations& observed) {
  Texts all;
  for (const Observation& one : observed.all) {
    std::string text = one.group.empty() ? "" : one.group + "| ";
    text += one.variant + " " + std::to_string(one.seed);
    if (!one.cell.empty()) text += " " + one.cell;
    switch (one.outcome) {
      case Outcome::kFinished:
        text += ": " + std::to_string(one.value).substr(0, 4);
        break;
      case Outcome::kDiverged:
        text += " diverged";
        break;
      case Outcome::kNotReached:
        text += " not reached";
        break;
      case Outcome::kUnfinished:
        text += " unfinished";
        break;
    }
    all.push_back(text);
  }
  return all;
}

TEST(RunObservations, EveryRunHasOneAndKnowsItsPlace) {
  const Recording recording =
      recording_of({recorded_run("full", 0, 0.5f), recorded_run("none", 3, 0.25f)});
  const Observations observed = observe_runs(recording, {});
  EXPECT_EQ(observed.metric.name, "test.loss");
  EXPECT_EQ(texts(observed), (Texts{"full 0: 0.50", "none 3: 0.25"}));
  EXPECT_EQ(observed.all[1].place, "r.jsonl:4");
  EXPECT_EQ(observed.all[1].run, &recording.runs[1]);
}

TEST(RunObservations, HowARunEndedDecides) {
  Recording recording;
  for (const char* status : {"diverged", "interrupted", "failed"}) {
    recording.runs.push_back(recorded_run(status, 0, 0.5f));
    recording.runs.back().end->status = status;
  }
  recording.runs.push_back(recorded_run("killed", 0, 0.5f));
  recording.runs.back().end.reset();
  recording.runs.push_back(recorded_run("unmeasured", 0, 0.5f));
  recording.runs.back().series.clear();
  const Observations observed = observe_runs(recording_of(recording.runs), {});
  EXPECT_EQ(texts(observed), (Texts{"diverged 0 diverged", "interrupted 0 unfinished",
                                    "failed 0 unfinished", "killed 0 unfinished"}));
  EXPECT_EQ(observed.warnings, Texts{"unmeasured: 1 run recorded no test.loss and counts nowhere"});
}

TEST(RunObservations, VariantsOfAGridAreCellsOfOne) {
  std::vector<RecordedRun> runs = {recorded_run("full", 0, 1), recorded_run("full", 0, 2),
                                   recorded_run("wide one", 0, 3)};
  runs[0].begin.cell = {{"model.n_layers", "1"}, {"task.pairs", "2"}};
  runs[1].begin.cell = runs[2].begin.cell = {{"model.n_layers", "2"}, {"task.pairs", "2"}};
  const Recording recording = recording_of(runs);
  EXPECT_EQ(texts(observe_runs(recording, {})),
            (Texts{"full 0 model.n_layers=1: 1.00", "full 0 model.n_layers=2: 2.00",
                   "wide one 0 model.n_layers=2: 3.00"}));
  ObservationChoice choice;
  choice.by = "model.n_layers";
  EXPECT_EQ(texts(observe_runs(recording, choice)),
            (Texts{"1| full 0: 1.00", "2| full 0: 2.00", "2| wide one 0: 3.00"}));
}

TEST(RunObservations, ANameThatLooksLikeACellIsAName) {
  EXPECT_EQ(texts(observe_runs(recording_of({recorded_run("wide model.x=4", 0, 1),
                                             recorded_run("wide model.x=8", 0, 2),
                                             recorded_run("without model.bias", 0, 3),
                                             recorded_run("without model.mlp", 0, 4)}),
                               {})),
            (Texts{"wide model.x=4 0: 1.00", "wide model.x=8 0: 2.00", "without model.bias 0: 3.00",
                   "without model.mlp 0: 4.00"}));
}

TEST(RunObservations, CellsMayBeOfAnyFieldAndOfObjects) {
  std::vector<RecordedRun> runs;
  for (const std::string variant : {"full", "none"}) {
    for (const std::string scheme : {"keyed", "torch_stream"}) {
      runs.push_back(recorded_run(variant, 0, 1));
      runs.back().begin.cell = {
          {"random.scheme", '"' + scheme + '"'},
          {"model.mlp", scheme == "keyed" ? R"({"ratio":2,"hidden":null})" : "null"}};
    }
  }
  EXPECT_EQ(texts(observe_runs(recording_of(runs), {}))[3],
            "none 0 random.scheme=torch_stream model.mlp=null: 1.00");
}

TEST(RunObservations, SeveralExperimentsAreCells) {
  std::vector<RecordedRun> runs = {recorded_run("full", 0, 1), recorded_run("full", 0, 2)};
  runs[1].begin.experiment = "recall";
  const Recording recording = recording_of(runs);
  EXPECT_EQ(texts(observe_runs(recording, {})),
            (Texts{"full 0 experiment=sentiment: 1.00", "full 0 experiment=recall: 2.00"}));
  ObservationChoice choice;
  choice.by = "experiment";
  EXPECT_EQ(texts(observe_runs(recording, choice)),
            (Texts{"sentiment| full 0: 1.00", "recall| full 0: 2.00"}));
}

TEST(RunObservations, AnExperimentThatGoesWithItsVariantIsNoCell) {
  std::vector<RecordedRun> runs = {recorded_run("full", 0, 1), recorded_run("none", 0, 2)};
  runs[1].begin.experiment = "recall";
  const Recording recording = recording_of(runs);
  const Observations observed = observe_runs(recording, {});
  EXPECT_EQ(texts(observed), (Texts{"full 0: 1.00", "none 0: 2.00"}));
  EXPECT_EQ(observed.warnings,
            Texts{"experiment goes with the variant: full has sentiment, none has recall"});
}

TEST(RunObservations, TheEndKnowsTheLastValueWhateverBecameOfItsLine) {
  std::vector<RecordedRun> runs = {recorded_run("full", 0, 1)};
  runs[0].end->metrics = {{"test.loss", 0.5f}};
  EXPECT_EQ(texts(observe_runs(recording_of(runs), {})), Texts{"full 0: 0.50"});
}

TEST(RunObservations, AnyFieldCanNameVariants) {
  std::vector<RecordedRun> runs = {recorded_run("full", 0, 1), recorded_run("full", 0, 2)};
  runs[1].begin.config = R"({"model": {"d_model": 16, "kind": "transformer"}})";
  const Recording recording = recording_of(runs);
  ObservationChoice choice;
  choice.variant_column = "model.d_model";
  EXPECT_EQ(texts(observe_runs(recording, choice)), (Texts{"8 0: 1.00", "16 0: 2.00"}));
  choice.variant_column = "model.d_modle";
  EXPECT_EQ(user_error([&] { observe_runs(recording, choice); }),
            "unknown field 'model.d_modle'; allowed: experiment, folder, "
            "model.d_model, model.kind, name or variant; did you mean 'model.d_model'?");
}

TEST(RunObservations, HeadsAreCellsOfARunAlsoWhereItDiverged) {
  std::vector<RecordedRun> runs = {recorded_run("full", 0, 1), recorded_run("full", 1, 1),
                                   recorded_run("none", 0, 1)};
  runs[0].series["attention.entropy.0.0"] = {{5}, {1.5f}};
  runs[0].series["attention.entropy.0.1"] = {{5}, {0.5f}};
  runs[1].end->status = runs[2].end->status = "diverged";
  ObservationChoice choice;
  choice.metric.name = "attention.entropy";
  EXPECT_EQ(texts(observe_runs(recording_of(runs), choice)),
            (Texts{"full 0 head=0: 1.50", "full 0 head=1: 0.50", "full 1 head=0 diverged",
                   "full 1 head=1 diverged", "none 0 head=0 diverged", "none 0 head=1 diverged"}));
}

TEST(RunObservations, AMetricNeedsNoSplitWhereOneHasIt) {
  ObservationChoice choice;
  choice.metric.name = "loss";
  EXPECT_EQ(observe_runs(recording_of({recorded_run("full", 0, 1)}), choice).metric.name,
            "test.loss");
}

TEST(RunObservations, ACourseOfOneValueIsToldToBeNone) {
  ObservationChoice choice;
  choice.metric.taken = Taken::kArea;
  EXPECT_EQ(
      observe_runs(recording_of({recorded_run("full", 0, 1)}), choice).warnings,
      Texts{"each run has one value of test.loss alone, at its end: there is no course to take "
            "anything from"});
}

TEST(RunObservations, WhereNothingIsRecordedYetThatIsSaid) {
  RecordedRun run = recorded_run("full", 0, 1);
  run.series.clear();
  const Recording recording = recording_of({run});
  EXPECT_EQ(user_error([&] { observe_runs(recording, {}); }),
            "r.jsonl:1: no run has recorded a number yet, so there is nothing to compare");
}

TEST(RunObservations, AMetricThatNoRunHasIsRefused) {
  const Recording recording = recording_of({recorded_run("full", 0, 1)});
  ObservationChoice choice;
  choice.metric.name = "test.los";
  EXPECT_EQ(user_error([&] { observe_runs(recording, choice); }),
            "unknown metric 'test.los'; allowed: test.loss; did you mean 'test.loss'?");
}

}  // namespace
}  // namespace qkvlab

#include "config/experiment_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "config/config_examples.hpp"
#include "config/field_reader.hpp"

namespace qkvlab {
namespace {

/// The fields of a config's text, without the checks of what fits what.
ExperimentConfig read_fields(const std::string& text) {
  ExperimentConfig config;
  const JsonValue json = parse_json(text, "written");
  FieldReader reader(json);
  ConfigFields<ExperimentConfig>::visit(config, reader);
  reader.finish();
  return config;
}

/// Calls `check` with each example and with each of its fields changed, one at a time.
template <typename Check>
int for_each_change(const Check& check) {
  int changes = 0;
  for (const ExperimentConfig& example : example_configs()) {
    for (int target = 0;; ++target) {
      ExperimentConfig changed = example;
      if (auto* text = std::get_if<TextTask>(&changed.task)) text->file = "a.txt";
      const ExperimentConfig before = changed;
      FieldChanger changer(target);
      ConfigFields<ExperimentConfig>::visit(changed, changer);
      if (changer.path().empty()) break;
      check(before, changed, changer);
      ++changes;
    }
  }
  return changes;
}

TEST(ExperimentWriter, EveryFieldIsWrittenAndReadsBack) {
  const int changes =
      for_each_change([](const ExperimentConfig& before, const ExperimentConfig& changed,
                         const FieldChanger& changer) {
        const std::string line = config_line(changed);
        EXPECT_NE(line, config_line(before)) << changer.path();
        EXPECT_EQ(config_line(read_fields(line)), line) << changer.path();
        EXPECT_EQ(config_line(read_fields(config_text(changed))), line) << changer.path();
      });
  EXPECT_GT(changes, 500);
}

TEST(ExperimentWriter, AFieldChangesTheIdentityWhereItAffectsResults) {
  const std::set<std::string> without = {"name", "record", "run", "limits", "ablation"};
  for_each_change([&](const ExperimentConfig& before, const ExperimentConfig& changed,
                      const FieldChanger& changer) {
    const std::string& path = changer.path();
    const bool is_file = path == "task.file" || path == "task.test_file";
    const bool expected = without.count(path.substr(0, path.find('.'))) == 0 && !is_file;
    // A test file that comes or goes changes what the task's digest is of.
    if (path == "task.test_file") return;
    EXPECT_EQ(run_id(changed, "digest") != run_id(before, "digest"), expected) << path;
    EXPECT_EQ(changer.affects_results() && !is_file, expected) << path;
  });
}

TEST(ExperimentWriter, ChangesOfFieldsReallyChangeThem) {
  ExperimentConfig config;
  FieldChanger changer(0);
  ConfigFields<ExperimentConfig>::visit(config, changer);
  EXPECT_EQ(changer.path(), "name");
  EXPECT_EQ(config.name, "字\"");
  EXPECT_FALSE(changer.affects_results());
}

TEST(ExperimentWriter, TheDigestStandsInPlaceOfTheFile) {
  ExperimentConfig config;
  TextTask task;
  task.file = "somewhere/a.txt";
  config.task = task;
  const std::string identity = identity_json(config, "0123456789abcdef");
  EXPECT_EQ(identity.find("somewhere"), std::string::npos);
  EXPECT_NE(identity.find(R"("file":"0123456789abcdef")"), std::string::npos);
  EXPECT_NE(run_id(config, "0123456789abcdef"), run_id(config, "fedcba9876543210"));
}

TEST(ExperimentWriter, TheIdentityIsCanonical) {
  for (const ExperimentConfig& config : example_configs()) {
    const std::string identity = identity_json(config, "digest");
    // An independent writer of JSON, whose objects are sorted, has the same order and no blanks
    // either; its numbers differ in form alone.
    const auto json = nlohmann::json::parse(identity);
    std::string shape = json.dump(), own = identity;
    const auto drop_numbers = [](std::string& text) {
      text.erase(std::remove_if(text.begin(), text.end(),
                                [](char c) {
                                  return std::string("0123456789.e-+").find(c) != std::string::npos;
                                }),
                 text.end());
    };
    drop_numbers(shape);
    drop_numbers(own);
    EXPECT_EQ(own, shape);
  }
}

/// If this fails, every run has got another id, and no experiment that was begun can be resumed.
TEST(ExperimentWriter, IdsDoNotChangeByAccident) {
  ExperimentConfig config;
  config.training.steps = 100;
  config.random.seed = 7;
  EXPECT_EQ(
      identity_json(config, "89d1a8f7c1c5d2b3"),
      R"({"model":{"attention":{"mode":"full","packed":false},"bias":true,"causal":true,)"
      R"("d_model":64,"dropout":{"attention":0,"embedding":0,"residual":0},"embedding":"lookup",)"
      R"("init":"gpt2","kind":"transformer","max_length":128,)"
      R"("mlp":{"activation":"gelu","hidden":null,"ratio":4},"n_heads":2,"n_layers":2,"norm":"pre",)"
      R"("output":"auto","position":"learned","tie_head":true},)"
      R"("random":{"scheme":"keyed","seed":7},)"
      R"("task":{"file":"89d1a8f7c1c5d2b3","kind":"sentences","test_file":null},)"
      R"("training":{"accumulate":1,"batch_size":8,"epochs":null,)"
      R"("evaluate":{"batches":null,"every":0,"train":false},"grad_clip":null,)"
      R"("optimizer":{"kind":"sgd","lr":0.1,"momentum":0,"nesterov":false,"weight_decay":0},)"
      R"("schedule":{"kind":"constant","warmup_fraction":0,"warmup_steps":0},"steps":100,)"
      R"("target":null}})");
}

/// The ids of runs with each task, model, optimiser and schedule of the registry. A change here is
/// a change of what a field means, or an accident.
TEST(ExperimentWriter, TheIdsOfEveryKindArePinned) {
  const std::map<std::string, std::string> pinned = {
      {"coreference transformer sgd constant", "c20d84b18eb275c8"},
      {"induction transformer sgd constant", "298cce3a004b32a1"},
      {"majority transformer sgd constant", "65506dd0292a8a85"},
      {"modular_addition transformer sgd constant", "d8d9a3e5d5ef11c1"},
      {"recall transformer sgd constant", "3808ea8e385e0ee7"},
      {"sentences sentiment_trace sgd constant", "e5ba4f426242e1b3"},
      {"sentences transformer adam constant", "7c9cdf45dea04ae8"},
      {"sentences transformer adamw constant", "752b12f1377657ce"},
      {"sentences transformer sgd constant", "a1db7a47540d1b74"},
      {"sentences transformer sgd cosine", "67c198d333d91f29"},
      {"sentences transformer sgd linear", "16c099c6e3b5b827"},
      {"sequence transformer sgd constant", "14c53d963625cfbe"},
      {"text transformer sgd constant", "f340c0134d3a6186"},
  };
  std::map<std::string, std::string> ids;
  for (const ExperimentConfig& config : example_configs()) {
    ids.emplace(kind_of(config.task) + " " + kind_of(config.model) + " " +
                    kind_of(config.training.optimizer) + " " + kind_of(config.training.schedule),
                run_id(config, "digest"));
  }
  EXPECT_EQ(ids, pinned);
}

TEST(ExperimentWriter, TheTextForPeopleHasAFieldALine) {
  ExperimentConfig config;
  config.name = "x";
  config.model = SentimentTraceConfig{};
  const std::string text = config_text(config);
  EXPECT_EQ(text.substr(0, text.find("  \"training\"")),
            R"({
  "name": "x",
  "task": {
    "kind": "sentences",
    "file": "data/sentiment8.tsv",
    "test_file": null
  },
  "model": {
    "kind": "sentiment_trace",
    "d_model": 8,
    "attention": {
      "mode": "full",
      "packed": false
    }
  },
)");
  EXPECT_NE(text.find("\"heads\": [0],\n"), std::string::npos);
  const std::string end = "  },\n  \"ablation\": null\n}\n";
  EXPECT_EQ(text.substr(text.size() - end.size()), end);
}

}  // namespace
}  // namespace qkvlab

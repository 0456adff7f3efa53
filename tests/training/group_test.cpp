#include <cmath>
#include <map>
#include <optional>

#include "layers/tensor_values.hpp"
#include "model/replicas.hpp"
#include "support/sinks.hpp"
#include "support/tasks.hpp"
#include "support/temporary_folder.hpp"
#include "support/training.hpp"
#include "training/checkpoint.hpp"
#include "training/trainer.hpp"

namespace qkvlab {
namespace {

/// Runs of a config with these seeds, trained side by side.
struct Group {
  Group(const ExperimentConfig& trained, const std::vector<int64_t>& seeds) : config(trained) {
    GroupSources sources;
    std::vector<std::shared_ptr<ModelImpl>> models;
    for (const int64_t seed : seeds) {
      random.emplace_back(config.random.scheme, static_cast<uint64_t>(seed));
      sources.data.emplace_back(config.random.scheme, static_cast<uint64_t>(seed));
      tasks.push_back(make_task(config.task, sources.data.back()));
      sources.tasks.push_back(tasks.back().get());
      models.push_back(make_model(config.model, tasks.back()->shape(), random.back()));
    }
    sources.random = random;
    model = models.front();
    std::vector<const torch::nn::Module*> modules;
    for (const auto& one : models) modules.push_back(one.get());
    if (models.size() > 1) stack_parameters(*model, modules);
    trainer.emplace(config, std::move(sources), *model);
    sinks.resize(seeds.size());
  }

  bool run(const Trainer::AfterStep& after_step = [](const StepReport&) { return true; }) {
    std::vector<Recorder> recorders;
    for (CollectingSink& sink : sinks) recorders.emplace_back(config.record, RunSink("r", sink));
    return trainer->run(recorders, after_step);
  }

  const ExperimentConfig config;
  std::vector<RandomSource> random;
  std::vector<std::unique_ptr<Task>> tasks;
  std::shared_ptr<ModelImpl> model;
  std::optional<Trainer> trainer;
  std::vector<CollectingSink> sinks;
};

ExperimentConfig small_config(const TaskConfig& task) {
  ExperimentConfig config;
  config.name = "small";
  config.task = task;
  TransformerConfig model;
  model.d_model = 8;
  model.dropout.attention = model.dropout.residual = model.dropout.embedding = 0.1;
  const TaskShape shape = task_shape(task);
  model.max_length = shape.length;
  model.output = shape.per_token ? OutputKind::kToken : OutputKind::kLast;
  model.tie_head = shape.outputs == shape.vocabulary;
  config.model = model;
  config.training.steps = 6;
  config.training.batch_size = 4;
  config.training.accumulate = 2;
  config.training.optimizer = AdamWConfig{};
  config.training.grad_clip = 0.5;
  config.training.evaluate.every = 3;
  config.training.evaluate.batches = 2;
  config.record.gradients = 2;
  config.record.attention.every = 3;
  config.record.attention.samples = 2;
  return config;
}

void expect_close(const CollectingSink& some, const CollectingSink& others) {
  ASSERT_EQ(some.records.size(), others.records.size());
  const auto steps = some.all<StepRecord>(), other_steps = others.all<StepRecord>();
  for (size_t i = 0; i < steps.size(); ++i) {
    EXPECT_NEAR(steps[i].loss, other_steps[i].loss, 1e-4);
    EXPECT_NEAR(steps[i].grad_norm, other_steps[i].grad_norm, 1e-3);
  }
  const auto gradients = some.all<GradientsRecord>(),
             other_gradients = others.all<GradientsRecord>();
  for (size_t i = 0; i < gradients.size(); ++i) {
    ASSERT_EQ(gradients[i].norms.size(), other_gradients[i].norms.size());
    for (size_t j = 0; j < gradients[i].norms.size(); ++j) {
      EXPECT_EQ(gradients[i].norms[j].first, other_gradients[i].norms[j].first);
      EXPECT_NEAR(gradients[i].norms[j].second, other_gradients[i].norms[j].second, 1e-3);
    }
  }
  const auto evaluations = some.all<EvaluationRecord>(),
             other_evaluations = others.all<EvaluationRecord>();
  for (size_t i = 0; i < evaluations.size(); ++i) {
    EXPECT_EQ(evaluations[i].split, other_evaluations[i].split);
    EXPECT_NEAR(evaluations[i].loss, other_evaluations[i].loss, 1e-4);
    EXPECT_EQ(evaluations[i].metrics, other_evaluations[i].metrics);
  }
  const auto maps = some.all<AttentionRecord>(), other_maps = others.all<AttentionRecord>();
  for (size_t i = 0; i < maps.size(); ++i) {
    EXPECT_EQ(maps[i].tokens, other_maps[i].tokens);
    EXPECT_EQ(maps[i].sample, other_maps[i].sample);
    for (size_t j = 0; j < maps[i].weights.size(); ++j) {
      EXPECT_NEAR(maps[i].weights[j], other_maps[i].weights[j], 1e-4);
    }
  }
}

TEST(Group, EveryRunLearnsWhatItLearnsAlone) {
  for (TaskConfig& task :
       whole_registry(std::make_index_sequence<std::variant_size_v<TaskConfig>>())) {
    std::visit([](auto& typed) { give_file(typed); }, task);
    const ExperimentConfig config = small_config(task);
    SCOPED_TRACE(std::visit([](const auto& one) { return std::string(one.kKind); }, task));
    Group together(config, {3, 4, 5});
    EXPECT_TRUE(together.run());
    for (size_t i = 0; i < 3; ++i) {
      Group alone(config, {3 + static_cast<int64_t>(i)});
      alone.run();
      expect_close(together.sinks[i], alone.sinks[0]);
      EXPECT_EQ(together.trainer->state().runs[i].batch_digest,
                alone.trainer->state().runs[0].batch_digest);
    }
  }
}

TEST(Group, SentencesOfOtherLengthsBesideARunDoNotChangeWhatItDrops) {
  std::string lines;
  for (int i = 0; i < 12; ++i) {
    lines += std::to_string(i % 2) + "\t";
    for (int j = 0; j <= i % 5; ++j) lines += (j > 0 ? " w" : "w") + std::to_string((i + j) % 4);
    lines += "\n";
  }
  SentencesTask task;
  task.file = files().write("unequal.tsv", lines);
  ExperimentConfig config = small_config(task);
  config.training.batch_size = 2;
  config.training.accumulate = 1;
  config.record.attention.every = 0;
  std::get<TransformerConfig>(config.model).dropout = {0.5, 0.5, 0.5};
  Group together(config, {0, 1, 2, 3});
  together.run();
  for (int64_t seed = 0; seed < 4; ++seed) {
    Group alone(config, {seed});
    alone.run();
    expect_close(together.sinks[static_cast<size_t>(seed)], alone.sinks[0]);
  }
}

TEST(Group, BatchesOfOtherLengthsAreFilledUp) {
  const auto of = [](const std::vector<int64_t>& tokens) {
    const auto length = static_cast<int64_t>(tokens.size());
    Batch batch;
    batch.input.tokens = at::tensor(tokens, at::kLong).view({1, length});
    batch.targets = batch.input.tokens + 1;
    return batch;
  };
  const Batch stacked = stack_batches({of({4, 5}), of({6, 7, 8})});
  EXPECT_EQ(rows_of(stacked.input.tokens.flatten(0, 1)), (Rows{{4, 5, 0}, {6, 7, 8}}));
  EXPECT_EQ(rows_of(stacked.input.valid.flatten(0, 1).to(at::kLong)), (Rows{{1, 1, 0}, {1, 1, 1}}));
  EXPECT_EQ(rows_of(stacked.targets.flatten(0, 1)), (Rows{{5, 6, kUnsupervised}, {7, 8, 9}}));
  EXPECT_FALSE(stack_batches({of({4, 5}), of({6, 7})}).input.valid.defined());
}

TEST(Group, ADivergedRunIsFrozenAndItsNeighboursDoNotNotice) {
  const ExperimentConfig config = small_config(MajorityTask{});
  Group healthy(config, {0, 1, 2});
  healthy.run();
  Group sick(config, {0, 1, 2});
  sick.run([&](const StepReport& report) {
    EXPECT_TRUE(std::isfinite(report.loss)) << "of those that still learn";
    if (report.step == 2) {
      const torch::NoGradGuard no_grad;
      sick.model->named_parameters()["blocks.0.mlp.fc_in.weight"][1][0][0] = NAN;
    }
    return true;
  });
  for (const size_t i : {0, 2}) EXPECT_EQ(sick.sinks[i].text(), healthy.sinks[i].text());
  const RunState& run = sick.trainer->state().runs[1];
  EXPECT_EQ(run.end, TrainingEnd::kDiverged);
  EXPECT_EQ(run.steps, 3);
  EXPECT_EQ(run.reason, "step 3: blocks.0.mlp.fc_in.weight is not finite");
  EXPECT_EQ(sick.sinks[1].all<StepRecord>().back().step, 3);
  // Nothing but the one number has been lost since.
  const at::Tensor weight = sick.model->named_parameters()["blocks.0.mlp.fc_in.weight"][1];
  EXPECT_EQ((~weight.isfinite()).sum().item<int64_t>(), 1);
}

TEST(Group, RunsThatReachTheirTargetStopWhereTheyWouldAlone) {
  ExperimentConfig config = small_config(MajorityTask{});
  config.training.steps = 30;
  config.training.evaluate.every = 1;
  Group free(config, {0, 1, 2});
  free.run();
  // A loss that the runs fall below at different steps.
  config.training.target = TargetConfig{"test.loss", free.sinks[0].all<EvaluationRecord>()[9].loss};
  Group together(config, {0, 1, 2});
  EXPECT_TRUE(together.run());
  std::vector<int64_t> steps;
  for (size_t i = 0; i < 3; ++i) {
    Group alone(config, {static_cast<int64_t>(i)});
    alone.run();
    EXPECT_EQ(together.trainer->state().runs[i].steps, alone.trainer->state().runs[0].steps);
    EXPECT_EQ(together.trainer->state().runs[i].end, TrainingEnd::kCompleted);
    expect_close(together.sinks[i], alone.sinks[0]);
    steps.push_back(alone.trainer->state().runs[0].steps);
  }
  EXPECT_NE(steps[0], steps[1]);
}

TEST(Group, GoesOnFromACheckpointToTheLastBit) {
  for (const RandomScheme scheme : {RandomScheme::kKeyed, RandomScheme::kTorchStream}) {
    ExperimentConfig config = small_config(MajorityTask{});
    config.random.scheme = scheme;
    const auto break_one = [](Group& group, int64_t step) {
      if (step != 2) return;
      const torch::NoGradGuard no_grad;
      group.model->parameters()[0][1].fill_(NAN);
    };
    Group whole(config, {0, 1, 2});
    whole.run([&](const StepReport& report) {
      break_one(whole, report.step);
      return true;
    });
    Group first(config, {0, 1, 2});
    EXPECT_FALSE(first.run([&](const StepReport& report) {
      break_one(first, report.step);
      return report.step < 4;
    }));
    const TemporaryFolder folder;
    Checkpoint checkpoint;
    checkpoint.runs = {"a", "b", "c"};
    checkpoint.identity = "{}";
    checkpoint.status = "running";
    checkpoint.training = first.trainer->state();
    save_checkpoint(folder.file("a.json"), checkpoint,
                    {*first.model, first.trainer->optimizer(), first.random});
    Group second(config, {0, 1, 2});
    checkpoint = *read_checkpoint(folder.file("a.json"), "{}");
    restore_checkpoint(folder.file("a.json"), checkpoint,
                       {*second.model, second.trainer->optimizer(), second.random});
    second.trainer->resume(checkpoint.training);
    EXPECT_TRUE(second.run());
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(first.sinks[i].text() + second.sinks[i].text(), whole.sinks[i].text());
    }
    for (size_t i = 0; i < whole.model->parameters().size(); ++i) {
      EXPECT_TRUE(at::equal(second.model->parameters()[i].nan_to_num(7),
                            whole.model->parameters()[i].nan_to_num(7)));
    }
  }
}

TEST(Group, RunsThatAskForDifferentNumbersOfAnswersLearnWhatTheyLearnAlone) {
  constexpr int64_t kVocabulary = 5, kLength = 6, kExamples = 8;
  std::vector<FixedTask> tasks;
  for (int64_t run = 0; run < 3; ++run) {
    Batch all;
    all.input.tokens = whole_numbers(kVocabulary, {kExamples, kLength}, 10 + run);
    all.targets = whole_numbers(kVocabulary, {kExamples, kLength}, 20 + run);
    // Of each run other positions, and of each example another number.
    const at::Tensor place = at::arange(kLength).expand({kExamples, kLength});
    const at::Tensor first = at::arange(kExamples).remainder(run + 2).unsqueeze(1);
    all.targets = all.targets.masked_fill(place < first, kUnsupervised);
    tasks.emplace_back(TaskShape{kVocabulary, kVocabulary, kLength, true}, all);
    tasks.back().long_answers = true;
  }
  ExperimentConfig config = small_config(InductionTask{});
  TransformerConfig model;
  model.d_model = 8;
  model.max_length = kLength;
  config.model = model;
  config.record.attention.every = 0;
  config.training.batch_size = 3;
  const auto train = [&](const std::vector<size_t>& seeds) {
    GroupSources sources;
    std::vector<std::shared_ptr<ModelImpl>> models;
    std::vector<const torch::nn::Module*> modules;
    for (const size_t seed : seeds) {
      sources.random.emplace_back(RandomScheme::kKeyed, seed);
      sources.data.emplace_back(RandomScheme::kKeyed, seed);
      sources.tasks.push_back(&tasks[seed]);
      models.push_back(make_model(config.model, tasks[seed].shape(), sources.random.back()));
      modules.push_back(models.back().get());
    }
    stack_parameters(*models.front(), modules);
    Trainer trainer(config, sources, *models.front());
    std::vector<CollectingSink> sinks(seeds.size());
    std::vector<Recorder> recorders;
    for (CollectingSink& sink : sinks) recorders.emplace_back(config.record, RunSink("r", sink));
    trainer.run(recorders, [](const StepReport&) { return true; });
    return sinks;
  };
  const std::vector<CollectingSink> together = train({0, 1, 2});
  for (size_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    EXPECT_FALSE(together[seed].all<EvaluationRecord>().empty());
    expect_close(together[seed], train({seed}).front());
  }
}

TEST(Group, VariantsOfASeedSeeTheSameBatchesAndStartFromTheSameValues) {
  std::map<std::string, std::string> first_digests;
  std::string batches;
  for (const ProjectionPlan& plan : attention_modes()) {
    ExperimentConfig config = small_config(InductionTask{});
    std::get<TransformerConfig>(config.model).attention.plan = plan;
    Group group(config, {7, 8});
    for (const auto& [path, value] : named_parts(
             *group.model, [](const at::Tensor& parameter) { return parameter.detach(); })) {
      const std::string digest_here = digest({value[1]});
      const auto [there, is_new] = first_digests.emplace(path, digest_here);
      EXPECT_EQ(there->second, digest_here) << plan.mode << " " << path;
    }
    group.run();
    const std::string& digest_here = group.trainer->state().runs[1].batch_digest;
    if (batches.empty()) batches = digest_here;
    EXPECT_EQ(digest_here, batches) << plan.mode;
  }
}

}  // namespace
}  // namespace qkvlab

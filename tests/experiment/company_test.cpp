// Under `keyed` no bit of a run depends on how many others are trained as one model with it, and on
// which.
#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

#include "experiment/group_model.hpp"
#include "layers/tensor_values.hpp"
#include "support/sinks.hpp"
#include "support/tasks.hpp"
#include "support/temporary_folder.hpp"

namespace qkvlab {
namespace {

/// Seeds trained as a group by what `train` and `ablate` train groups with.
struct Company {
  Company(const ExperimentConfig& config, const std::vector<int64_t>& seeds,
          int64_t diverging_seed = -1)
      : group(make_group_model(config, runs_of(seeds),
                               [](size_t, const std::vector<NamedValue>&) {})),
        trainer(config, group.sources, *group.model),
        sinks(seeds.size()) {
    std::vector<Recorder> recorders;
    for (CollectingSink& sink : sinks) recorders.emplace_back(config.record, RunSink("r", sink));
    trainer.run(recorders, [&](const StepReport& report) {
      const auto place = std::find(seeds.begin(), seeds.end(), diverging_seed);
      if (report.step == 2 && place != seeds.end()) {
        const torch::NoGradGuard no_grad;
        group.model->parameters().front()[place - seeds.begin()].fill_(NAN);
      }
      return true;
    });
  }

  static std::vector<SeedRun> runs_of(const std::vector<int64_t>& seeds) {
    std::vector<SeedRun> runs;
    for (const int64_t seed : seeds) runs.push_back({std::to_string(seed), seed});
    return runs;
  }

  /// What is left of a run: its records, its batches, its parameters and its optimiser's state.
  std::string rest_of(size_t run) const {
    std::string text = sinks[run].text() + trainer.state().runs[run].batch_digest + "\n";
    const auto part = [&](const at::Tensor& all) {
      return digest({all[static_cast<int64_t>(run)].contiguous()});
    };
    for (const NamedValue& value : named_values(*group.model)) {
      text += value.path + " " + part(value.value) + "\n";
    }
    for (const auto& [name, value] : trainer.optimizer().state()) {
      text += name + " " + part(value) + "\n";
    }
    return text;
  }

  GroupModel group;
  Trainer trainer;
  std::vector<CollectingSink> sinks;
};

/// The first line in which two texts differ.
std::string first_difference(const std::string& some, const std::string& others) {
  std::istringstream left(some), right(others);
  for (std::string a, b; std::getline(left, a);) {
    std::getline(right, b);
    if (a != b) return a + "\nbut " + b;
  }
  return "";
}

/// Trains seed 3 alone, with one other seed and with four, and seed 5 alone and with them.
void expect_the_same_in_every_company(const ExperimentConfig& config) {
  const Company alone(config, {3}), two(config, {7, 3}), five(config, {5, 1, 2, 3, 4});
  EXPECT_EQ(first_difference(alone.rest_of(0), two.rest_of(1)), "");
  EXPECT_EQ(first_difference(alone.rest_of(0), five.rest_of(3)), "");
  EXPECT_EQ(first_difference(Company(config, {5}).rest_of(0), five.rest_of(0)), "");
  EXPECT_NE(alone.rest_of(0), two.rest_of(0));
}

ExperimentConfig small_config(const TaskConfig& task = InductionTask{}) {
  ExperimentConfig config;
  config.task = task;
  const TaskShape shape = task_shape(task);
  TransformerConfig model;
  model.d_model = 12;
  model.n_heads = 2;
  model.max_length = shape.length;
  model.output = shape.per_token ? OutputKind::kToken : OutputKind::kLast;
  model.causal = shape.per_token;
  model.tie_head = false;
  config.model = model;
  config.training.steps = 6;
  config.training.batch_size = 5;
  config.training.evaluate.every = 3;
  config.training.evaluate.batches = 2;
  config.record.gradients = 1;
  config.record.attention.every = 3;
  return config;
}

TransformerConfig& transformer(ExperimentConfig& config) {
  return std::get<TransformerConfig>(config.model);
}

TEST(Company, OfAnyOptionOfATransformer) {
  using Change = std::function<void(TransformerConfig&)>;
  const std::vector<std::pair<std::string, Change>> changes = {
      {"as it is", [](TransformerConfig&) {}},
      {"tied head", [](TransformerConfig& m) { m.tie_head = true; }},
      {"one-hot",
       [](TransformerConfig& m) {
         m.embedding = EmbeddingKind::kOneHot;
         m.tie_head = true;
       }},
      {"post-norm, ReLU",
       [](TransformerConfig& m) {
         m.norm = NormPlace::kPost;
         m.mlp->activation = Activation::kRelu;
       }},
      {"no bias, no MLP",
       [](TransformerConfig& m) {
         m.bias = false;
         m.mlp.reset();
       }},
      {"packed", [](TransformerConfig& m) { m.attention.packed = true; }},
      {"no position", [](TransformerConfig& m) { m.position = PositionKind::kNone; }},
      {"dropout",
       [](TransformerConfig& m) {
         m.dropout.attention = m.dropout.residual = m.dropout.embedding = 0.2;
       }},
      {"wide enough for LibTorch's products", [](TransformerConfig& m) {
         m.d_model = 136;
         m.n_layers = 1;
         m.tie_head = true;
       }}};
  for (const auto& [name, change] : changes) {
    SCOPED_TRACE(name);
    ExperimentConfig config = small_config();
    change(transformer(config));
    expect_the_same_in_every_company(config);
  }
}

TEST(Company, OfAnyTask) {
  for (TaskConfig& task :
       whole_registry(std::make_index_sequence<std::variant_size_v<TaskConfig>>())) {
    std::visit([](auto& typed) { give_file(typed); }, task);
    SCOPED_TRACE(std::visit([](const auto& one) { return std::string(one.kKind); }, task));
    ExperimentConfig config = small_config(task);
    transformer(config).dropout.residual = 0.1;
    expect_the_same_in_every_company(config);
    if (transformer(config).output == OutputKind::kToken) continue;
    transformer(config).output = OutputKind::kMean;
    expect_the_same_in_every_company(config);
  }
}

TEST(Company, OfEveryMode) {
  for (const ProjectionPlan& plan : attention_modes()) {
    SCOPED_TRACE(plan.mode);
    ExperimentConfig config = small_config();
    transformer(config).attention.plan = plan;
    if (!plan.attends) config.record.attention.every = 0;
    expect_the_same_in_every_company(config);
    SentimentTraceConfig trace;
    trace.attention.plan = plan;
    SentencesTask task;
    give_file(task);
    ExperimentConfig sentences = small_config(task);
    sentences.model = trace;
    sentences.training.batch_size = 2;  // some of them without padding
    sentences.record.attention.every = config.record.attention.every;
    expect_the_same_in_every_company(sentences);
  }
}

template <size_t... kIndex>
std::vector<OptimizerConfig> all_optimizers(std::index_sequence<kIndex...>) {
  return {OptimizerConfig(std::in_place_index<kIndex>)...};
}

TEST(Company, OfEveryOptimizerWithAccumulationAndClipping) {
  std::vector<OptimizerConfig> optimizers =
      all_optimizers(std::make_index_sequence<std::variant_size_v<OptimizerConfig>>());
  SgdConfig momentum;
  momentum.momentum = 0.9;
  momentum.weight_decay = 0.01;
  optimizers.emplace_back(momentum);
  for (const OptimizerConfig& optimizer : optimizers) {
    ExperimentConfig config = small_config();
    config.training.optimizer = optimizer;
    config.training.accumulate = 3;
    config.training.grad_clip = 0.1;
    expect_the_same_in_every_company(config);
  }
}

TEST(Company, OfSequencesTooLongForOurOwnAttention) {
  InductionTask task;
  task.length = 130;
  ExperimentConfig config = small_config(task);
  config.training.batch_size = 2;
  config.training.steps = 3;
  config.record.attention.every = 0;
  expect_the_same_in_every_company(config);
}

TEST(Company, OfADivergingNeighbour) {
  const ExperimentConfig config = small_config();
  const Company healthy(config, {3}), sick(config, {1, 3, 4}, /*diverging_seed=*/4);
  EXPECT_EQ(sick.trainer.state().runs[2].end, TrainingEnd::kDiverged);
  EXPECT_EQ(first_difference(healthy.rest_of(0), sick.rest_of(1)), "");
}

}  // namespace
}  // namespace qkvlab

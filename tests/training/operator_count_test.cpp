// The number of LibTorch calls of a training does not grow with the number of its replicas.
#include <ATen/record_function.h>

#include <atomic>

#include "model/replicas.hpp"
#include "support/modes.hpp"
#include "support/sinks.hpp"
#include "support/training.hpp"
#include "training/trainer.hpp"

namespace qkvlab {
namespace {

std::atomic<int64_t> calls{0}, gelus{0};

/// Counts operators, forwards and backwards, while it lives.
class CallCounter {
 public:
  CallCounter() {
    calls = gelus = 0;
    handle_ = at::addGlobalCallback(
        at::RecordFunctionCallback([](const at::RecordFunction& function)
                                       -> std::unique_ptr<at::ObserverContext> {
          ++calls;
          if (std::string(function.name()) == "aten::gelu") ++gelus;
          return nullptr;
        }).scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
  }
  ~CallCounter() { at::removeCallback(handle_); }
  CallCounter(const CallCounter&) = delete;
  CallCounter& operator=(const CallCounter&) = delete;

 private:
  at::CallbackHandle handle_;
};

struct Counts {
  int64_t calls = 0, gelus = 0;
  std::vector<RunState> runs;
};

/// The calls of a whole training of `replicas` runs that all learn from the same batches.
Counts calls_of_training(const ExperimentConfig& config, const FixedTask& task, uint64_t replicas,
                         const std::function<void(ModelImpl&, int64_t step)>& change = {}) {
  GroupSources sources;
  sources.tasks = {&task};
  std::vector<std::shared_ptr<ModelImpl>> models;
  std::vector<const torch::nn::Module*> modules;
  for (uint64_t seed = 0; seed < replicas; ++seed) {
    sources.random.emplace_back(RandomScheme::kKeyed, seed);
    sources.data.emplace_back(RandomScheme::kKeyed, seed);
    models.push_back(make_model(config.model, task.shape(), sources.random.back()));
    modules.push_back(models.back().get());
  }
  ModelImpl& model = *models.front();
  stack_parameters(model, modules);
  Trainer trainer(config, sources, model);
  std::vector<CollectingSink> sinks(replicas);
  std::vector<Recorder> recorders;
  for (CollectingSink& sink : sinks) recorders.emplace_back(config.record, RunSink("r", sink));
  Counts counts;
  {
    const CallCounter counter;
    trainer.run(recorders, [&](const StepReport& report) {
      if (change) change(model, report.step);
      return true;
    });
    counts.calls = calls;
    counts.gelus = gelus;
  }
  counts.runs = trainer.state().runs;
  return counts;
}

/// All examples in each batch, so that it is the same for all runs.
ExperimentConfig counted_config() {
  ExperimentConfig config;
  TransformerConfig model;
  model.d_model = 8;
  model.n_heads = 2;
  model.max_length = 5;
  model.init = InitScheme::kTorch;
  config.model = model;
  config.training.steps = 6;
  config.training.batch_size = 10;
  config.training.grad_clip = 1;
  config.training.evaluate.every = 2;
  config.record.gradients = 2;
  return config;
}

FixedTask sentences() {
  Batch all;
  all.input.tokens = whole_numbers(7, {10, 5}, 1);
  all.input.valid = at::ones({10, 5}, at::kBool);
  all.input.valid.narrow(0, 2, 4).narrow(1, 3, 2).fill_(false);
  all.targets = whole_numbers(2, {10}, 2);
  return {TaskShape{7, 2, 5, false}, all};
}

class EveryModesOperatorCount : public EveryMode {};

TEST_P(EveryModesOperatorCount, IsTheSameForThreeAndThirtyReplicas) {
  ExperimentConfig config = counted_config();
  std::get<TransformerConfig>(config.model).attention.plan = plan();
  const FixedTask tokens = random_task(10, 5, 7);
  const Counts three = calls_of_training(config, tokens, 3);
  EXPECT_GT(three.calls, 100);
  EXPECT_EQ(three.calls, calls_of_training(config, tokens, 30).calls);

  SentimentTraceConfig trace;
  trace.attention.plan = plan();
  config.model = trace;
  const FixedTask classes = sentences();
  EXPECT_EQ(calls_of_training(config, classes, 3).calls,
            calls_of_training(config, classes, 30).calls);
}

INSTANTIATE_TEST_SUITE_P(Modes, EveryModesOperatorCount, all_modes(), mode_name);

TEST(OperatorCount, IsTheSameWithEveryOptimizerAndAccumulation) {
  const FixedTask task = random_task(10, 5, 7);
  for (const OptimizerConfig& optimizer :
       {OptimizerConfig(SgdConfig{}), OptimizerConfig(AdamConfig{}),
        OptimizerConfig(AdamWConfig{})}) {
    ExperimentConfig config = counted_config();
    config.training.optimizer = optimizer;
    config.training.batch_size = 5;
    config.training.accumulate = 2;
    EXPECT_EQ(calls_of_training(config, task, 3).calls, calls_of_training(config, task, 30).calls);
  }
}

TEST(OperatorCount, IsTheSameWhereRunsEndAtTheirTarget) {
  ExperimentConfig config = counted_config();
  config.training.target = TargetConfig{"test.loss", 100};  // all of them, at once
  config.training.evaluate.every = 3;
  const FixedTask task = random_task(10, 5, 7);
  const Counts three = calls_of_training(config, task, 3);
  EXPECT_EQ(three.runs[2].steps, 3);
  EXPECT_EQ(three.calls, calls_of_training(config, task, 30).calls);
}

TEST(OperatorCount, RunsThatDivergeAtOnceAreLookedThroughInOnePass) {
  const ExperimentConfig config = counted_config();
  const FixedTask task = random_task(10, 5, 7);
  // Overflows in the second step, of all runs but the first.
  const auto overflow = [](ModelImpl& model, int64_t step) {
    if (step != 1) return;
    const torch::NoGradGuard no_grad;
    at::Tensor weight = model.named_parameters()["blocks.1.mlp.fc_out.weight"];
    weight.narrow(0, 1, weight.size(0) - 1).fill_(3e38);
  };
  const Counts few = calls_of_training(config, task, 3, overflow);
  const Counts many = calls_of_training(config, task, 256, overflow);
  EXPECT_FALSE(many.runs[0].reason.size() > 0);
  for (const size_t run : {1, 100, 255}) {
    EXPECT_EQ(many.runs[run].reason, "step 2: blocks.1.mlp.output is not finite");
  }
  EXPECT_EQ(many.gelus, few.gelus);
  // A gradient and the culprit of each run are looked at apart, by some 40 calls each with those
  // inside them; a forward pass alone would be more than that.
  EXPECT_LT(many.calls - few.calls, 100 * (256 - 3));
}

}  // namespace
}  // namespace qkvlab

#include "experiment/trace_run.hpp"

#include <cmath>
#include <map>

#include "experiment/trace_records.hpp"
#include "layers/loss.hpp"
#include "model/model.hpp"
#include "support/finite_difference.hpp"
#include "support/reference.hpp"
#include "support/sinks.hpp"
#include "support/tasks.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

constexpr int64_t kVocabulary = 6, kLength = 5, kWidth = 8, kHeads = 2;

using ByName = std::map<std::string, at::Tensor>;

ByName by_name(const NamedTensors& tensors) { return {tensors.begin(), tensors.end()}; }

ByName gradients_of(const TraceRun& run) {
  ByName gradients = by_name(run.forward_gradients);
  for (const NamedValue& parameter : run.after_backward) {
    gradients[parameter.path] = parameter.gradient;
  }
  return gradients;
}

/// A causal transformer that is asked about the next token everywhere but in the question.
ExperimentConfig causal_config() {
  ExperimentConfig config;
  config.name = "small";
  SequenceTask task;
  task.rule = SequenceRule::kReverse;
  task.layout = SequenceLayout::kContinued;
  task.length = 3;
  task.symbols = kVocabulary;
  config.task = task;
  TransformerConfig model;
  model.d_model = kWidth;
  model.n_layers = 2;
  model.n_heads = kHeads;
  model.max_length = kLength;
  model.tie_head = false;
  model.output = OutputKind::kToken;
  config.model = model;
  config.training.steps = 1;
  config.training.optimizer = SgdConfig{0.25};
  config.random.seed = 3;
  return config;
}

ExperimentConfig sentiment_config() {
  ExperimentConfig config;
  config.name = "sentiment";
  config.task = SentencesTask{};
  config.model = SentimentTraceConfig{};
  config.training.steps = 1;
  config.training.optimizer = SgdConfig{0.3};
  config.random.scheme = RandomScheme::kTorchStream;
  config.random.seed = 31;
  return config;
}

TEST(TraceRun, OfACausalTransformerHasEveryIntermediateWithoutTheBatch) {
  const ByName forward = by_name(run_trace_step(causal_config(), {}).forward);
  const std::map<std::string, std::vector<int64_t>> expected = {
      {"x", {kLength, kWidth}},
      {"blocks.0.attention.q", {kHeads, kLength, kWidth / kHeads}},
      {"blocks.1.attention.scores", {kHeads, kLength, kLength}},
      {"blocks.1.attention.attention", {kHeads, kLength, kLength}},
      {"blocks.1.mlp.hidden", {kLength, 4 * kWidth}},
      {"blocks.1.output", {kLength, kWidth}},
      {"norm", {kLength, kWidth}},
      {"logits", {kLength, kVocabulary}},
      {"probabilities", {kLength, kVocabulary}}};
  for (const auto& [name, shape] : expected) {
    ASSERT_EQ(forward.count(name), 1U) << name;
    EXPECT_EQ(forward.at(name).sizes(), at::IntArrayRef(shape)) << name;
  }
  EXPECT_EQ(forward.size(), 4U + 2 * 16);
  const at::Tensor later = at::ones({kLength, kLength}, at::kBool).triu(1);
  const at::Tensor scores = forward.at("blocks.0.attention.scores");
  EXPECT_TRUE(same(scores == -INFINITY, later.expand_as(scores)));
}

TEST(TraceRun, ForwardIsWhatTheModelSaysWithoutDropout) {
  ExperimentConfig config = causal_config();
  const TracedSample sample{"test", 4};
  const TraceRun plain = run_trace_step(config, sample);
  auto& dropout = std::get<TransformerConfig>(config.model).dropout;
  dropout.attention = dropout.residual = dropout.embedding = 0.5;
  const TraceRun run = run_trace_step(config, sample);
  const auto task = make_task(config.task, 3);
  const Batch batch = task->batch(Split::kHeldOut, {4});
  const auto model = make_model(config.model, task->shape(), RandomSource(RandomScheme::kKeyed, 3));
  const at::Tensor logits = model->logits(batch.input);  // [1, T, K]
  EXPECT_LT(largest(by_name(run.forward).at("logits") - logits[0]), 1e-5);
  EXPECT_LT(largest(by_name(plain.forward).at("logits") - logits[0]), 1e-5);
  EXPECT_EQ(run.token_ids, rows_of(batch.input.tokens).front());
  EXPECT_EQ(run.targets, rows_of(batch.targets).front());
}

TEST(TraceRun, TheLogitsGradientIsSoftmaxMinusOneHotOverTheCountOfTargets) {
  const TraceRun run = run_trace_step(causal_config(), {});
  const at::Tensor probabilities = by_name(run.forward).at("probabilities");
  const at::Tensor gradient = gradients_of(run).at("logits");
  int64_t count = 0;
  for (const int64_t target : run.targets) count += target == kUnsupervised ? 0 : 1;
  ASSERT_EQ(count, 3) << "the answer has three symbols, the question none";
  double loss = 0;
  for (int64_t t = 0; t < kLength; ++t) {
    const int64_t target = run.targets[t];
    for (int64_t k = 0; k < kVocabulary; ++k) {
      const double p = probabilities[t][k].item<double>();
      const double expected = target == kUnsupervised ? 0 : (p - (k == target ? 1 : 0)) / 3;
      EXPECT_NEAR(gradient[t][k].item<double>(), expected, 1e-6) << t << " " << k;
      if (k == target) loss -= std::log(p) / 3;
    }
  }
  EXPECT_NEAR(run.loss.item<double>(), loss, 1e-6);
}

TEST(TraceRun, AnIntermediatesGradientIsThatOfFiniteDifferences) {
  const TraceRun run = run_trace_step(causal_config(), {});
  const at::Tensor weight = value_at(run.initial, "head.weight").to(at::kDouble);
  const at::Tensor bias = value_at(run.initial, "head.bias").to(at::kDouble);
  const at::Tensor norm = by_name(run.forward).at("norm").to(at::kDouble).contiguous();
  const auto loss = [&] {
    const at::Tensor log_p = at::log_softmax(at::matmul(norm, weight.t()) + bias, -1);
    double sum = 0;
    for (int64_t t = 0; t < kLength; ++t) {
      if (run.targets[t] != kUnsupervised) sum -= log_p[t][run.targets[t]].item<double>();
    }
    return sum / 3;
  };
  EXPECT_TRUE(near(gradients_of(run).at("norm"), finite_difference(norm, loss)));
}

TEST(TraceRun, OnlyWhatTheLossDependsOnHasAGradient) {
  const ByName gradients = by_name(run_trace_step(causal_config(), {}).forward_gradients);
  const auto forward = run_trace_step(causal_config(), {}).forward;
  for (const auto& [name, tensor] : forward) {
    if (name == "probabilities") continue;
    ASSERT_EQ(gradients.count(name), 1U) << name;
    EXPECT_EQ(gradients.at(name).sizes(), tensor.sizes()) << name;
    EXPECT_TRUE(gradients.at(name).isfinite().all().item<bool>()) << name;
  }
  EXPECT_EQ(gradients.count("probabilities"), 0U);
}

TEST(TraceRun, AStepOfSgdIsMinusRateTimesGradient) {
  const TraceRun run = run_trace_step(causal_config(), {});
  double square = 0;
  for (size_t i = 0; i < run.initial.size(); ++i) {
    const at::Tensor& gradient = run.after_backward[i].gradient;
    EXPECT_TRUE(same(run.after_backward[i].value, run.initial[i].value));
    EXPECT_TRUE(near(run.after_step[i].value, run.initial[i].value - 0.25 * gradient));
    square += gradient.to(at::kDouble).square().sum().item<double>();
  }
  EXPECT_NEAR(run.grad_norm, std::sqrt(square), 1e-5);
  EXPECT_LT(run.loss_after, run.loss.item<float>());
}

TEST(TraceRun, GradientsAreShownBeforeTheyAreClipped) {
  ExperimentConfig config = causal_config();
  const TraceRun whole = run_trace_step(config, {});
  config.training.grad_clip = whole.grad_norm / 4;
  const TraceRun clipped = run_trace_step(config, {});
  EXPECT_EQ(clipped.grad_norm, whole.grad_norm);
  for (size_t i = 0; i < whole.initial.size(); ++i) {
    const at::Tensor& gradient = clipped.after_backward[i].gradient;
    EXPECT_TRUE(same(gradient, whole.after_backward[i].gradient));
    EXPECT_TRUE(
        near(clipped.after_step[i].value, whole.initial[i].value - 0.0625 * gradient, 1e-5));
  }
}

TEST(TraceRun, OfTheSentenceClassifierIsThatOfTheEquivalentPyTorchProgram) {
  const TraceRun run = run_trace_step(sentiment_config(), {});
  const auto reference = load_reference("sentiment8_seed31.json");
  const ByName gradients = gradients_of(run);
  for (const NamedValue& parameter : run.initial) {
    const std::string& path = parameter.path;
    EXPECT_TRUE(near(parameter.value, tensor_of(reference["initial_parameters"][path]))) << path;
    EXPECT_TRUE(near(gradients.at(path), tensor_of(reference["first_gradients"][path]))) << path;
    EXPECT_TRUE(near(value_at(run.after_step, path),
                     tensor_of(reference["parameters_after_first_step"][path])))
        << path;
  }
  const ByName forward = by_name(run.forward);
  EXPECT_EQ(forward.size(), 9U);
  for (const char* name : {"x", "q", "k", "v", "scores", "attention", "context", "logits"}) {
    // The program's logits are those of a batch of one.
    const at::Tensor expected = tensor_of(reference["first_forward"][name]);
    EXPECT_TRUE(near(forward.at(name), expected.view_as(forward.at(name)))) << name;
  }
  EXPECT_EQ(run.tokens, (std::vector<std::string>{"我", "喜欢", "机器人"}));
  EXPECT_EQ(run.outputs, (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(run.targets, std::vector<int64_t>{1});
}

TEST(TraceRun, ItsRecordsReadBackUnderOneNameInTheOrderOfTheirPhases) {
  const ExperimentConfig config = causal_config();
  const TraceRun run = run_trace_step(config, {});
  CollectingSink sink;
  emit_trace(config, run, sink);
  std::vector<std::string> phases;
  std::map<std::string, int> tensors;
  for (const Record& record : sink.records) {
    std::string line;
    append_record(line, record);
    const Record again = parse_record(line.substr(0, line.size() - 1), "memory", 1);
    EXPECT_EQ(std::visit([](const auto& known) { return known.run; }, again), run.run);
    if (const auto* tensor = std::get_if<TensorRecord>(&again)) {
      if (phases.empty() || phases.back() != tensor->phase) phases.push_back(tensor->phase);
      ++tensors[tensor->phase];
    }
  }
  EXPECT_EQ(phases, (std::vector<std::string>{"initial", "forward", "gradient", "step"}));
  const auto parameters = static_cast<int>(run.initial.size());
  EXPECT_EQ(tensors["initial"], parameters);
  EXPECT_EQ(tensors["forward"], 36 + 1) << "and the loss";
  EXPECT_EQ(tensors["gradient"], parameters + 35) << "all but the probabilities";
  EXPECT_EQ(tensors["step"], parameters);
  EXPECT_EQ(sink.all<EndRecord>().front().status, "completed");
  const auto json = nlohmann::json::parse(sink.all<RunRecord>().front().config);
  EXPECT_EQ(json["trace"]["tokens"].size(), static_cast<size_t>(kLength));
  EXPECT_TRUE(json["trace"]["targets"][0].is_null());
  EXPECT_EQ(json["model"]["d_model"], kWidth);
}

TEST(TraceRun, IsNamedByItsConfigItsSplitAndItsSample) {
  ExperimentConfig config = causal_config();
  const std::string id = run_trace_step(config, {}).run;
  EXPECT_EQ(run_trace_step(config, {}).run, id);
  EXPECT_NE(run_trace_step(config, {"train", 1}).run, id);
  EXPECT_NE(run_trace_step(config, {"test", 0}).run, id);
  config.random.seed = 4;
  EXPECT_NE(run_trace_step(config, {}).run, id);
}

TEST(TraceRun, ASplitOrSampleThatIsNotThereIsRefused) {
  EXPECT_EQ(user_error([] {
              run_trace_step(sentiment_config(), {"train", 8});
            }),
            "--sample: must be an integer from 1 to 8 (the split train), got 9");
  EXPECT_EQ(user_error([] {
              run_trace_step(sentiment_config(), {"test", 0});
            }),
            "--split: unknown split of this task 'test'; allowed: train");
  EXPECT_EQ(user_error([] {
              run_trace_step(causal_config(), {"tset", 0});
            }),
            "--split: unknown split of this task 'tset'; allowed: train or test; did you mean "
            "'test'?");
  EXPECT_EQ(run_trace_step(causal_config(), {"train", 1'000'000}).examples, 0)
      << "training examples without end";
}

TEST(TraceRun, AStepThatLeavesFiniteNumbersSaysSo) {
  ExperimentConfig config = causal_config();
  config.training.optimizer = SgdConfig{1e30};
  const TraceRun run = run_trace_step(config, {});
  EXPECT_EQ(run.not_finite, "loss after the step");
  CollectingSink sink;
  emit_trace(config, run, sink);
  EXPECT_EQ(sink.all<EndRecord>().front().status, "diverged");
}

}  // namespace
}  // namespace qkvlab

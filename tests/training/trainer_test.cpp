#include "training/trainer.hpp"

#include <algorithm>
#include <cmath>

#include "support/sinks.hpp"
#include "support/temporary_folder.hpp"
#include "support/training.hpp"
#include "training/checkpoint.hpp"

namespace qkvlab {
namespace {

constexpr int64_t kVocabulary = 7;
constexpr int64_t kLength = 5;

ExperimentConfig small_config() {
  ExperimentConfig config;
  config.name = "small";
  TransformerConfig model;
  model.d_model = 8;
  model.n_layers = 2;
  model.n_heads = 2;
  model.max_length = kLength;
  model.init = InitScheme::kTorch;
  config.model = model;
  config.training.steps = 12;
  config.training.batch_size = 4;
  config.training.evaluate.every = 5;
  config.record.gradients = 3;
  config.random.seed = 3;
  return config;
}

DropoutConfig some_dropout() {
  DropoutConfig dropout;
  dropout.attention = dropout.residual = dropout.embedding = 0.2;
  return dropout;
}

/// One training of a small transformer on random sequences.
struct SmallTraining {
  explicit SmallTraining(const ExperimentConfig& trained,
                         FixedTask learned = random_task(10, kLength, kVocabulary))
      : config(trained),
        task(std::move(learned)),
        random(config.random.scheme, static_cast<uint64_t>(config.random.seed)),
        model(make_model(config.model, task.shape(), random)),
        trainer(config,
                {{&task},
                 {random},
                 {{config.random.scheme, static_cast<uint64_t>(config.random.seed)}}},
                *model) {}

  TrainingEnd run(const Trainer::AfterStep& after_step = [](const StepReport&) { return true; }) {
    const bool ended = trainer.run({Recorder(config.record, RunSink("r", sink))}, after_step);
    return ended ? trainer.state().runs.front().end.value() : TrainingEnd::kInterrupted;
  }
  const std::string& reason() const { return trainer.state().runs.front().reason; }

  at::Tensor parameters() const {
    std::vector<at::Tensor> flat;
    for (const at::Tensor& parameter : model->parameters()) {
      flat.push_back(parameter.detach().reshape(-1));
    }
    return at::cat(flat);
  }

  const ExperimentConfig config;
  const FixedTask task;
  const RandomSource random;
  std::shared_ptr<ModelImpl> model;
  Trainer trainer;
  CollectingSink sink;
};

TEST(Trainer, RecordsWhatIsDueWhenItIsDue) {
  ExperimentConfig config = small_config();
  config.record.step = 2;
  config.record.attention.every = 6;
  config.record.attention.layers = {1};
  config.record.attention.heads = {0, 1};
  config.record.attention.samples = 2;
  SmallTraining training(config);
  EXPECT_EQ(training.run(), TrainingEnd::kCompleted);
  const auto steps_of = [](const auto& records) {
    std::vector<int64_t> steps;
    for (const auto& record : records) steps.push_back(record.step);
    return steps;
  };
  EXPECT_EQ(steps_of(training.sink.all<StepRecord>()), (std::vector<int64_t>{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(steps_of(training.sink.all<GradientsRecord>()), (std::vector<int64_t>{3, 6, 9, 12}));
  EXPECT_EQ(steps_of(training.sink.all<EvaluationRecord>()), (std::vector<int64_t>{5, 10, 12}));
  EXPECT_EQ(steps_of(training.sink.all<AttentionRecord>()),
            (std::vector<int64_t>{0, 0, 0, 0, 6, 6, 6, 6, 12, 12, 12, 12}));
  for (const AttentionRecord& record : training.sink.all<AttentionRecord>()) {
    EXPECT_EQ(record.layer, 1);
    EXPECT_EQ(record.queries, kLength);
    EXPECT_EQ(record.tokens.size(), static_cast<size_t>(kLength));
  }
}

TEST(Trainer, WhatIsNotAskedForIsNotRecorded) {
  ExperimentConfig config = small_config();
  config.record.step = config.record.gradients = 0;
  config.training.evaluate.every = 0;
  SmallTraining training(config);
  training.run();
  ASSERT_EQ(training.sink.records.size(), 1U);  // the evaluation at the end
  EXPECT_EQ(training.sink.all<EvaluationRecord>().front().step, 12);
}

TEST(Trainer, TheFirstStepsAreThoseOfAPlainLoop) {
  ExperimentConfig config = small_config();
  SgdConfig sgd;
  sgd.lr = 0.3;
  config.training.optimizer = sgd;
  config.training.batch_size = 10;  // all examples, in their order
  config.training.grad_clip = 0.2;
  SmallTraining training(config);
  training.run();

  const RandomSource source(RandomScheme::kKeyed, 3);
  const auto model = make_model(config.model, training.task.shape(), source);
  const std::vector<int64_t> all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const Batch batch = training.task.batch(Split::kTrain, all);
  const auto steps = training.sink.all<StepRecord>();
  for (int64_t step = 0; step < 12; ++step) {
    model->zero_grad();
    const at::Tensor loss = cross_entropy(model->logits(batch.input), batch.targets);
    loss.backward();
    double square = 0;
    for (const at::Tensor& parameter : model->parameters()) {
      square += parameter.grad().to(at::kDouble).square().sum().item<double>();
    }
    EXPECT_NEAR(steps[step].loss, loss.item<double>(), 1e-5);
    EXPECT_NEAR(steps[step].grad_norm, std::sqrt(square), 1e-5);
    const torch::NoGradGuard no_grad;
    for (const at::Tensor& parameter : model->parameters()) {
      parameter.sub_(parameter.grad() * (0.3 * std::min(1.0, 0.2 / std::sqrt(square))));
    }
  }
}

/// Sequences of very different numbers of supervised positions.
FixedTask uneven_task() {
  Batch all;
  all.input.tokens = whole_numbers(kVocabulary, {16, kLength}, 1);
  all.targets = at::full({16, kLength}, kUnsupervised, at::kLong);
  for (int64_t i = 0; i < 16; ++i) {
    const int64_t count = 1 + (i / 4) % kLength;
    all.targets[i].narrow(0, 0, count).copy_(whole_numbers(kVocabulary, {count}, 20 + i));
  }
  return {TaskShape{kVocabulary, kVocabulary, kLength, true}, all};
}

TEST(Trainer, AccumulatingGivesTheGradientOfTheBigBatch) {
  std::vector<at::Tensor> gradients;
  std::vector<StepRecord> records;
  for (const auto& [size, accumulate] :
       std::vector<std::pair<int64_t, int64_t>>{{16, 1}, {4, 4}, {1, 16}, {5, 4}}) {
    ExperimentConfig config = small_config();
    config.training.steps = 1;
    config.training.batch_size = size;
    config.training.accumulate = accumulate;
    SmallTraining training(config, uneven_task());
    training.run();
    std::vector<at::Tensor> flat;
    for (const at::Tensor& parameter : training.model->parameters()) {
      flat.push_back(parameter.grad().reshape(-1));
    }
    gradients.push_back(at::cat(flat));
    records.push_back(training.sink.all<StepRecord>().front());
  }
  for (size_t i = 1; i < gradients.size(); ++i) {
    EXPECT_LT(largest(gradients[i] - gradients[0]), 1e-6);
    EXPECT_NEAR(records[i].loss, records[0].loss, 1e-6);
    EXPECT_NEAR(records[i].grad_norm, records[0].grad_norm, 1e-6);
  }
}

TEST(Trainer, MicroBatchesDoNotShareTheirDropout) {
  ExperimentConfig config = small_config();
  std::get<TransformerConfig>(config.model).dropout = some_dropout();
  config.training.steps = 1;
  config.training.batch_size = 1;
  config.training.accumulate = 2;
  // Twice the same example: with the same masks the second pass would change nothing.
  Batch twice;
  twice.input.tokens = whole_numbers(kVocabulary, {1, kLength}, 1).repeat({2, 1});
  twice.targets = whole_numbers(kVocabulary, {1, kLength}, 2).repeat({2, 1});
  SmallTraining two(config, FixedTask({kVocabulary, kVocabulary, kLength, true}, twice));
  two.run();
  config.training.accumulate = 1;
  SmallTraining one(config, FixedTask({kVocabulary, kVocabulary, kLength, true}, twice));
  one.run();
  EXPECT_NE(two.sink.all<StepRecord>().front().loss, one.sink.all<StepRecord>().front().loss);
}

std::vector<OptimizerConfig> optimizers() {
  SgdConfig momentum;
  momentum.momentum = 0.9;
  return {SgdConfig{}, momentum, AdamConfig{}, AdamWConfig{}};
}

TEST(Trainer, ResumedAfterAnyStepItGoesOnToTheLastBit) {
  for (const OptimizerConfig& optimizer : optimizers()) {
    for (const RandomScheme scheme : {RandomScheme::kKeyed, RandomScheme::kTorchStream}) {
      ExperimentConfig config = small_config();
      std::get<TransformerConfig>(config.model).dropout = some_dropout();
      config.training.optimizer = optimizer;
      config.training.accumulate = 2;
      config.random.scheme = scheme;
      SmallTraining whole(config);
      EXPECT_EQ(whole.run(), TrainingEnd::kCompleted);

      for (const int64_t stop : {1, 2, 5, 6, 11}) {
        SmallTraining first(config);
        const TrainingEnd end =
            first.run([&](const StepReport& report) { return report.step < stop; });
        EXPECT_EQ(end, TrainingEnd::kInterrupted);
        const TemporaryFolder folder;
        Checkpoint checkpoint;
        checkpoint.runs = {"r"};
        checkpoint.identity = "{}";
        checkpoint.status = "running";
        checkpoint.training = first.trainer.state();
        save_checkpoint(folder.file("r.json"), checkpoint,
                        {*first.model, first.trainer.optimizer(), {first.random}});

        SmallTraining second(config);
        checkpoint = *read_checkpoint(folder.file("r.json"), "{}");
        restore_checkpoint(folder.file("r.json"), checkpoint,
                           {*second.model, second.trainer.optimizer(), {second.random}});
        second.trainer.resume(checkpoint.training);
        EXPECT_EQ(second.run(), TrainingEnd::kCompleted);
        EXPECT_EQ(first.sink.text() + second.sink.text(), whole.sink.text());
        EXPECT_TRUE(same(second.parameters(), whole.parameters()));
        EXPECT_EQ(second.trainer.state().runs[0].batch_digest,
                  whole.trainer.state().runs[0].batch_digest);
      }
    }
  }
}

TEST(Trainer, StopsAtItsTarget) {
  ExperimentConfig config = small_config();
  config.training.target = TargetConfig{"test.loss", 1e9};
  SmallTraining training(config);
  EXPECT_EQ(training.run(), TrainingEnd::kCompleted);
  EXPECT_EQ(training.trainer.state().step, 5);
  config.training.target = TargetConfig{"test.accuracy", 1.1};
  SmallTraining out_of_reach(config);
  out_of_reach.run();
  EXPECT_EQ(out_of_reach.trainer.state().step, 12);
}

TEST(Trainer, ALossThatIsNotFiniteEndsItWithTheCulpritNamed) {
  ExperimentConfig config = small_config();
  SgdConfig sgd;
  sgd.lr = 1e6;
  config.training.optimizer = sgd;
  config.training.steps = 1000;
  SmallTraining training(config);
  EXPECT_EQ(training.run(), TrainingEnd::kDiverged);
  const int64_t step = training.trainer.state().step;
  EXPECT_LT(step, 1000);
  const std::string& reason = training.reason();
  EXPECT_EQ(reason.rfind("step " + std::to_string(step) + ": ", 0), 0U) << reason;
  EXPECT_NE(reason.find(" is not finite"), std::string::npos);
  EXPECT_EQ(training.sink.all<StepRecord>().back().step, step);
}

TEST(Trainer, ANonFiniteParameterIsTheCulprit) {
  SmallTraining training(small_config());
  {
    const torch::NoGradGuard no_grad;
    training.model->named_parameters()["blocks.1.mlp.fc_in.weight"][0][0] = NAN;
  }
  EXPECT_EQ(training.run(), TrainingEnd::kDiverged);
  EXPECT_EQ(training.reason(), "step 1: blocks.1.mlp.fc_in.weight is not finite");
}

TEST(Trainer, AnActivationThatOverflowsIsTheCulprit) {
  SmallTraining training(small_config());
  {
    const torch::NoGradGuard no_grad;
    training.model->named_parameters()["blocks.0.mlp.fc_out.weight"].fill_(1e38);
  }
  EXPECT_EQ(training.run(), TrainingEnd::kDiverged);
  EXPECT_EQ(training.reason(), "step 1: blocks.0.mlp.output is not finite");
}

/// A training whose last norm, or that of the MLP, gives nothing but ones.
void make_ones(SmallTraining& training, const std::string& norm) {
  const torch::NoGradGuard no_grad;
  auto parameters = training.model->named_parameters();
  parameters[norm + ".weight"].zero_();
  parameters[norm + ".bias"].fill_(1);
}

TEST(Trainer, ANegativeOverflowIsTheCulpritWhereNothingIsMasked) {
  SmallTraining training(small_config());
  make_ones(training, "blocks.0.norm2");
  {
    const torch::NoGradGuard no_grad;
    training.model->named_parameters()["blocks.0.mlp.fc_in.weight"].fill_(-1e38);
  }
  EXPECT_EQ(training.run(), TrainingEnd::kDiverged);
  EXPECT_EQ(training.reason(), "step 1: blocks.0.mlp.preactivation is not finite");

  ExperimentConfig untied = small_config();
  std::get<TransformerConfig>(untied.model).tie_head = false;
  SmallTraining of_logits(untied);
  make_ones(of_logits, "norm");
  {
    const torch::NoGradGuard no_grad;
    of_logits.model->named_parameters()["head.weight"].fill_(-1e38);
  }
  EXPECT_EQ(of_logits.run(), TrainingEnd::kDiverged);
  EXPECT_EQ(of_logits.reason(), "step 1: logits is not finite");
}

TEST(Trainer, WhatDropoutBringsAboutIsFoundWhereItDid) {
  ExperimentConfig config = small_config();
  std::get<TransformerConfig>(config.model).dropout.residual = 0.5;
  SmallTraining training(config);
  {
    const torch::NoGradGuard no_grad;
    auto parameters = training.model->named_parameters();
    parameters["blocks.0.mlp.fc_out.weight"].zero_();
    parameters["blocks.0.mlp.fc_out.bias"].fill_(2e38);  // finite until it is doubled
  }
  EXPECT_EQ(training.run(), TrainingEnd::kDiverged);
  EXPECT_EQ(training.reason(), "step 1: blocks.0.residual2 is not finite");
}

TEST(Trainer, TheStepInWhichItDivergesIsReported) {
  ExperimentConfig config = small_config();
  SgdConfig sgd;
  sgd.lr = 1e6;
  config.training.optimizer = sgd;
  config.training.steps = 1000;
  SmallTraining training(config);
  StepReport latest;
  EXPECT_EQ(training.run([&](const StepReport& report) {
    EXPECT_FALSE(latest.last);
    latest = report;
    return true;
  }),
            TrainingEnd::kDiverged);
  EXPECT_EQ(latest.step, training.trainer.state().step);
  EXPECT_TRUE(latest.last);
}

TEST(Trainer, AnOverflowInALaterMicroBatchIsFound) {
  ExperimentConfig config = small_config();
  config.training.batch_size = 1;
  config.training.accumulate = 2;
  Batch two;
  two.input.tokens = at::tensor({0, 0, 0, 0, 0, 6, 6, 6, 6, 6}, at::kLong).view({2, kLength});
  two.targets = two.input.tokens.clone();
  SmallTraining training(config, FixedTask({kVocabulary, kVocabulary, kLength, true}, two));
  {
    const torch::NoGradGuard no_grad;
    training.model->named_parameters()["token_embedding.weight"][6].fill_(3e38);
  }
  EXPECT_EQ(training.run(), TrainingEnd::kDiverged);
  EXPECT_NE(training.reason(), "step 1: loss is not finite");
}

TEST(Trainer, AGradientThatIsNotFiniteIsTheCulpritWhereTheLossIsFinite) {
  SmallTraining training(small_config());
  for (const at::Tensor& parameter : training.model->parameters()) {
    if (parameter.dim() != 2) continue;
    parameter.register_hook([](const at::Tensor& gradient) { return gradient * INFINITY; });
    break;
  }
  EXPECT_EQ(training.run(), TrainingEnd::kDiverged);
  EXPECT_EQ(training.reason(), "step 1: gradient of token_embedding.weight is not finite");
}

TEST(Trainer, WhatTheLastUpdateBreaksIsADivergence) {
  ExperimentConfig config = small_config();
  SgdConfig sgd;
  sgd.lr = 1e30;
  config.training.optimizer = sgd;
  config.training.steps = 1;
  SmallTraining training(config);
  EXPECT_EQ(training.run(), TrainingEnd::kDiverged);
  EXPECT_EQ(training.reason().rfind("after step 1: ", 0), 0U) << training.reason();
}

TEST(Trainer, ModeNoneHasNoAttentionToRecord) {
  ExperimentConfig config = small_config();
  std::get<TransformerConfig>(config.model).attention.plan = attention_mode("none");
  config.record.attention.every = 1;
  SmallTraining training(config);
  EXPECT_EQ(training.run(), TrainingEnd::kCompleted);
  EXPECT_TRUE(training.sink.all<AttentionRecord>().empty());
}

TEST(Trainer, EpochsAreCountedInSteps) {
  ExperimentConfig config = small_config();
  config.training.steps.reset();
  config.training.epochs = 3;
  EXPECT_EQ(SmallTraining(config).trainer.total_steps(), 9);  // of 4, 4 and 2 examples
  EXPECT_ANY_THROW(
      SmallTraining(config, random_task(10, kLength, kVocabulary, Sampling::kEndless)));
}

TEST(Trainer, NoStepsAtAllEvaluateTheModelAsItWasDrawn) {
  ExperimentConfig config = small_config();
  config.training.steps = 0;
  SmallTraining training(config);
  EXPECT_EQ(training.run(), TrainingEnd::kCompleted);
  ASSERT_EQ(training.sink.records.size(), 1U);
  EXPECT_EQ(training.sink.all<EvaluationRecord>().front().step, 0);
}

}  // namespace
}  // namespace qkvlab

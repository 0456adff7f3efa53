// Models as training sees them: made from a config, asked for logits.
#include "model/model.hpp"

#include <cmath>
#include <functional>

#include "model/replicas.hpp"
#include "support/models.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

const RandomSource& source() {
  static const RandomSource value(RandomScheme::kKeyed, 4);
  return value;
}

TaskShape shape_of(int64_t vocabulary, int64_t outputs, int64_t length, bool per_token) {
  TaskShape shape;
  shape.vocabulary = vocabulary;
  shape.outputs = outputs;
  shape.length = length;
  shape.per_token = per_token;
  return shape;
}

/// A causal language model over characters, as small ones are trained on a processor.
TransformerConfig character_model() {
  TransformerConfig config;
  config.d_model = 128;
  config.n_layers = 4;
  config.n_heads = 4;
  config.max_length = 64;
  config.bias = false;
  config.init = InitScheme::kGpt2;
  return config;
}

/// An encoder as published comparisons of projections use it.
TransformerConfig one_hot_encoder() {
  TransformerConfig config;
  config.d_model = 32;
  config.n_layers = 1;
  config.causal = false;
  config.mlp = MlpConfig{2, std::nullopt, Activation::kRelu};
  config.norm = NormPlace::kPost;
  config.position = PositionKind::kNone;
  config.embedding = EmbeddingKind::kOneHot;
  config.tie_head = false;
  return config;
}

TransformerConfig attention_only_classifier() {
  TransformerConfig config;
  config.d_model = 8;
  config.max_length = 12;
  config.attention.plan = attention_mode("shared_qkv");
  config.mlp.reset();
  config.tie_head = false;
  config.output = OutputKind::kMean;
  return config;
}

TEST(MakeModel, HasAsManyParametersAsCountedByHand) {
  // Token and position table; four blocks of two norms, four projections and the MLP's two; norm.
  EXPECT_EQ(count_parameters(*make_model(character_model(), shape_of(65, 65, 64, true), source())),
            65 * 128 + 64 * 128 + 4 * (2 * 128 + 4 * 128 * 128 + 2 * 128 * 512) + 128);
  // Embedding; norms, projections and MLP with biases; no last norm; head.
  EXPECT_EQ(count_parameters(*make_model(one_hot_encoder(), shape_of(10, 10, 16, true), source())),
            (320 + 32) + (2 * 64 + 4 * (1024 + 32) + (2048 + 64) + (2048 + 32)) + (320 + 10));
  // Tables; two blocks of one norm, one projection and the output's; norm; head.
  EXPECT_EQ(count_parameters(
                *make_model(attention_only_classifier(), shape_of(20, 3, 12, false), source())),
            160 + 96 + 2 * (16 + 72 + 72) + 16 + (24 + 3));
  SentimentTraceConfig sentiment;
  sentiment.attention.plan = attention_mode("shared_qk");
  EXPECT_EQ(count_parameters(*make_model(sentiment, shape_of(13, 2, 3, false), source())),
            13 * 8 + 3 * 8 + 2 * 64 + (16 + 2));
}

TEST(MakeModel, UnderGpt2ValuesHaveItsScales) {
  TransformerConfig config = character_model();
  config.bias = true;
  config.tie_head = false;
  for (const auto embedding : {EmbeddingKind::kLookup, EmbeddingKind::kOneHot}) {
    config.embedding = embedding;
    const auto model = make_model(config, shape_of(65, 65, 64, true), source());
    for (const NamedValue& value : named_values(*model)) {
      SCOPED_TRACE(value.path);
      const bool bias = value.path.find("bias") != std::string::npos;
      if (bias || value.path.find("norm") != std::string::npos) {
        EXPECT_TRUE(same(value.value, at::full_like(value.value, bias ? 0 : 1)));
        continue;
      }
      const bool residual = value.path.find("out_proj") != std::string::npos ||
                            value.path.find("fc_out") != std::string::npos;
      const double deviation = residual ? 0.02 / std::sqrt(8.0) : 0.02;
      // Of n draws the deviation is off by σ/√(2n), the mean by σ/√n.
      const double error = deviation / std::sqrt(static_cast<double>(value.value.numel()));
      EXPECT_NEAR(value.value.std().item<double>(), deviation, 5 * error / std::sqrt(2.0));
      EXPECT_NEAR(value.value.mean().item<double>(), 0, 5 * error);
    }
  }
}

TEST(MakeModel, TellsWhatHasLogitsFromTheTask) {
  const TokenInput input = input_of(whole_numbers(kVocabulary, {3, 5}, 1));
  TransformerConfig config;
  config.tie_head = false;
  const auto sizes = [&](OutputKind output, bool per_token) {
    config.output = output;
    return make_model(config, shape_of(kVocabulary, 2, 5, per_token), source())
        ->logits(input)
        .sizes()
        .vec();
  };
  EXPECT_EQ(sizes(OutputKind::kAuto, true), (std::vector<int64_t>{3, 5, 2}));
  EXPECT_EQ(sizes(OutputKind::kToken, true), (std::vector<int64_t>{3, 5, 2}));
  EXPECT_EQ(sizes(OutputKind::kMean, false), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(sizes(OutputKind::kLast, false), (std::vector<int64_t>{3, 2}));
  EXPECT_THROW(sizes(OutputKind::kMean, true), c10::Error);
  EXPECT_THROW(sizes(OutputKind::kToken, false), c10::Error);

  const TaskShape classes = shape_of(kVocabulary, 2, 5, false);
  config.output = OutputKind::kAuto;
  const at::Tensor found = make_model(config, classes, source())->logits(input);
  config.output = OutputKind::kLast;
  EXPECT_TRUE(same(found, make_model(config, classes, source())->logits(input)));
  EXPECT_THROW(make_model(SentimentTraceConfig{}, shape_of(7, 7, 5, true), source()), c10::Error);
}

TEST(MakeModel, GivesEveryFieldOfTheConfigToTheModel) {
  const TaskShape shape = shape_of(kVocabulary, kVocabulary, 5, true);
  const TokenInput input = input_of(whole_numbers(kVocabulary, {3, 5}, 1));
  DropoutStep step;
  step.sources.push_back(source());
  const auto logits = [&](const TransformerConfig& config) {
    return make_model(config, shape, source())->logits(input, {}, &step);
  };
  // Not the default, under which all biases begin as zeros.
  TransformerConfig base;
  base.init = InitScheme::kTorch;
  const at::Tensor before = logits(base);
  const std::vector<std::function<void(TransformerConfig&)>> changes = {
      [](auto& c) { c.n_layers = 1; },
      [](auto& c) { c.n_heads = 4; },
      [](auto& c) { c.causal = false; },
      [](auto& c) { c.attention.plan = attention_mode("uniform"); },
      [](auto& c) { c.mlp->activation = Activation::kRelu; },
      [](auto& c) { c.mlp->ratio = 2; },
      [](auto& c) { c.mlp.reset(); },
      [](auto& c) { c.norm = NormPlace::kPost; },
      [](auto& c) { c.position = PositionKind::kNone; },
      [](auto& c) { c.embedding = EmbeddingKind::kOneHot; },
      [](auto& c) { c.tie_head = false; },
      [](auto& c) { c.bias = false; },
      [](auto& c) { c.dropout.attention = 0.5; },
      [](auto& c) { c.dropout.residual = 0.5; },
      [](auto& c) { c.dropout.embedding = 0.5; },
      [](auto& c) { c.init = InitScheme::kGpt2; },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    TransformerConfig config = base;
    changes[i](config);
    EXPECT_FALSE(logits(config).equal(before)) << "change " << i;
  }
  TransformerConfig packed;
  packed.attention.packed = true;
  EXPECT_LT(make_model(packed, shape, source())->parameters().size(),
            make_model(TransformerConfig{}, shape, source())->parameters().size());
}

TEST(MakeModel, AModelOfEmptyBlocksComputes) {
  TransformerConfig config;
  config.attention.plan = attention_mode("none");
  config.mlp.reset();
  for (const auto norm : {NormPlace::kPre, NormPlace::kPost}) {
    config.norm = norm;
    const auto model = make_model(config, shape_of(7, 7, 5, true), source());
    EXPECT_EQ(model->logits(input_of(whole_numbers(7, {3, 5}, 1))).sizes(),
              at::IntArrayRef({3, 5, 7}));
  }
}

TEST(MakeModel, ModelsOfOneConfigStackToReplicas) {
  const TaskShape shape = shape_of(kVocabulary, kVocabulary, 5, true);
  const RandomSource other(RandomScheme::kKeyed, 5);
  const TokenInput input = input_of(whole_numbers(kVocabulary, {3, 5}, 1));
  const auto make = [&] {
    return std::vector<std::shared_ptr<ModelImpl>>{make_model(TransformerConfig{}, shape, source()),
                                                   make_model(TransformerConfig{}, shape, other)};
  };
  const auto singles = make();
  const auto stacked = stack_replicas(make());
  ASSERT_EQ(stacked->replicas(), 2);
  EXPECT_TRUE(near(stacked->logits(input)[0], singles[0]->logits(input), 1e-5));
  EXPECT_TRUE(near(stacked->logits(input)[1], singles[1]->logits(input), 1e-5));
}

}  // namespace
}  // namespace qkvlab

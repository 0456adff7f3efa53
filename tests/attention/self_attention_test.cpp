// Self-attention against torch::nn::MultiheadAttention, whose masks mean the opposite of ours.
#include "attention/self_attention.hpp"

#include <limits>
#include <map>

#include "attention/multihead_layout.hpp"
#include "layers/named_values.hpp"
#include "support/finite_difference.hpp"
#include "support/modes.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

constexpr int64_t kWidth = 8, kHeads = 2, kBatch = 3, kTokens = 5;

SelfAttention make_attention(const ProjectionPlan& plan, bool bias, bool packed) {
  SelfAttentionOptions options;
  options.plan = plan;
  options.width = kWidth;
  options.heads = kHeads;
  options.bias = bias;
  options.packed = packed;
  const RandomSource source(RandomScheme::kKeyed, 31);
  return SelfAttention(options, InitialValues(source));
}

torch::nn::MultiheadAttention make_multihead(const MultiheadLayout& layout) {
  const bool bias = layout.in_proj_bias.defined();
  torch::nn::MultiheadAttention theirs(
      torch::nn::MultiheadAttentionOptions(kWidth, kHeads).bias(bias));
  const at::NoGradGuard no_gradients;
  theirs->in_proj_weight.copy_(layout.in_proj_weight);
  theirs->out_proj->weight.copy_(layout.out_proj_weight);
  if (bias) {
    theirs->in_proj_bias.copy_(layout.in_proj_bias);
    theirs->out_proj->bias.copy_(layout.out_proj_bias);
  }
  return theirs;
}

struct Theirs {
  at::Tensor output;   // [B, T, C]
  at::Tensor weights;  // [B, T, T], the mean over heads
};

/// `causal` and `valid` (undefined: none) say the same to LibTorch as ours do: an additive mask of
/// -∞ where a query may not attend, and true where a key is padding.
Theirs run_multihead(torch::nn::MultiheadAttention& theirs, const at::Tensor& x, bool causal,
                     const at::Tensor& valid) {
  const at::Tensor rows = x.transpose(0, 1);  // [T, B, C]
  at::Tensor additive;
  if (causal) {
    additive = at::full({kTokens, kTokens}, -std::numeric_limits<double>::infinity()).triu(1);
  }
  const auto [output, weights] = theirs->forward(
      rows, rows, rows, valid.defined() ? ~valid : at::Tensor(), /*need_weights=*/true, additive);
  return {output.transpose(0, 1), weights};
}

Mask our_mask(bool causal, const at::Tensor& valid) {
  Mask mask = causal ? Mask::causal(kTokens, kTokens) : Mask();
  if (valid.defined()) mask = mask & Mask::key_padding(valid);
  return mask;
}

/// Padding on the right, on both sides, and none at all.
at::Tensor some_padding() {
  return bools({1, 1, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1}, {kBatch, kTokens});
}

/// Padding that leaves every causal query a key.
at::Tensor right_padding() {
  return bools({1, 1, 1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1}, {kBatch, kTokens});
}

class EveryModesSelfAttention : public EveryMode {};

TEST_P(EveryModesSelfAttention, IsMultiheadAttention) {
  const at::Tensor x = normal({kBatch, kTokens, kWidth}, 1);
  for (const bool bias : {true, false}) {
    for (const bool packed : {true, false}) {
      const SelfAttention ours = make_attention(plan(), bias, packed);
      auto theirs = make_multihead(export_multihead(*ours));
      for (const bool causal : {false, true}) {
        for (const at::Tensor& valid : {at::Tensor(), some_padding()}) {
          SCOPED_TRACE(testing::Message() << "bias " << bias << " packed " << packed << " causal "
                                          << causal << " padding " << valid.defined());
          const SelfAttentionForward found = ours->forward(x, our_mask(causal, valid));
          const Theirs expected = run_multihead(theirs, x, causal, valid);
          const at::Tensor weights = found.attention.weights.mean(1);  // [B, T, T]
          // Their rows that may attend to nothing are NaN throughout; ours are zero.
          const at::Tensor dead = expected.weights.isnan().any(-1);
          const bool some_dead = causal && valid.defined();
          EXPECT_EQ(dead.any().item<bool>(), some_dead);
          EXPECT_EQ(largest(weights.index({dead})), 0);
          EXPECT_TRUE(near(weights.index({~dead}), expected.weights.index({~dead})));
          EXPECT_TRUE(near(found.output.index({~dead}), expected.output.index({~dead})));
          if (some_dead) {
            const at::Tensor of_zero = bias ? ours->out_proj->bias : at::zeros({kWidth});
            EXPECT_TRUE(near(found.output.index({dead}),
                             of_zero.expand({dead.sum().item<int64_t>(), kWidth})));
          }
        }
      }
    }
  }
}

TEST_P(EveryModesSelfAttention, GradientsAreTheSlicesOfMultiheadAttentions) {
  // Which slices of in_proj's gradient (query 0, key 1, value 2) a shared projection adds up.
  const std::map<std::string, std::map<std::string, std::vector<size_t>>> shared = {
      {"shared_qk", {{"q_proj", {0, 1}}}},
      {"shared_kv", {{"k_proj", {1, 2}}}},
      {"shared_qkv", {{"q_proj", {0, 1, 2}}}}};
  const std::map<std::string, std::vector<size_t>> own = {
      {"q_proj", {0}}, {"k_proj", {1}}, {"v_proj", {2}}};
  const auto slices_of = [&](const std::string& projection) {
    const auto mode = shared.find(plan().mode);
    if (mode != shared.end() && mode->second.count(projection) > 0) {
      return mode->second.at(projection);
    }
    return own.at(projection);
  };

  for (const bool packed : {true, false}) {
    for (const bool causal : {false, true}) {
      for (const at::Tensor& valid : {at::Tensor(), right_padding()}) {
        const SelfAttention ours = make_attention(plan(), true, packed);
        auto theirs = make_multihead(export_multihead(*ours));
        const at::Tensor x = normal({kBatch, kTokens, kWidth}, 1).requires_grad_();
        const at::Tensor their_x = x.detach().clone().requires_grad_();
        weighted_sum(ours->forward(x, our_mask(causal, valid)).output).backward();
        weighted_sum(run_multihead(theirs, their_x, causal, valid).output).backward();
        EXPECT_TRUE(near(x.grad(), their_x.grad()));
        EXPECT_TRUE(near(ours->out_proj->weight.grad(), theirs->out_proj->weight.grad()));
        const auto weights = theirs->in_proj_weight.grad().chunk(3);
        const auto biases = theirs->in_proj_bias.grad().chunk(3);
        for (const NamedValue& mine : named_values(*ours)) {
          const auto dot = mine.path.find('.');
          const std::string projection = mine.path.substr(0, dot);
          if (projection == "out_proj") continue;
          SCOPED_TRACE(mine.path);
          const auto& slices = mine.path.substr(dot) == ".weight" ? weights : biases;
          at::Tensor expected = at::zeros_like(mine.value);
          for (const size_t slice : slices_of(projection)) expected += slices[slice];
          EXPECT_TRUE(near(mine.gradient, expected));
        }
      }
    }
  }
}

TEST_P(EveryModesSelfAttention, GradientsAgreeWithFiniteDifferences) {
  for (const bool packed : {true, false}) {
    SelfAttention attention = make_attention(plan(), true, packed);
    attention->to(at::kDouble);
    const at::Tensor x = normal({kBatch, kTokens, kWidth}, 1, at::kDouble).requires_grad_();
    std::vector<at::Tensor> variables = attention->parameters();
    variables.push_back(x);
    const Mask mask = our_mask(/*causal=*/true, some_padding());  // with dead rows
    EXPECT_TRUE(gradients_agree(variables,
                                [&] { return weighted_sum(attention->forward(x, mask).output); }));
  }
}

TEST_P(EveryModesSelfAttention, ItsLayoutReadsBack) {
  for (const bool bias : {true, false}) {
    for (const bool packed : {true, false}) {
      const SelfAttention source = make_attention(plan(), bias, packed);
      const MultiheadLayout layout = export_multihead(*source);
      SelfAttention target = make_attention(plan(), bias, !packed);
      const at::NoGradGuard no_gradients;
      for (const at::Tensor& parameter : target->parameters()) parameter.zero_();
      import_multihead(*target, layout);
      for (const NamedValue& value : named_values(*source)) {
        EXPECT_TRUE(same(value_at(named_values(*target), value.path), value.value)) << value.path;
      }
    }
  }
}

TEST_P(EveryModesSelfAttention, ALayoutOfUnrelatedProjectionsFitsOnlyModeFull) {
  SelfAttention target = make_attention(plan(), true, false);
  const MultiheadLayout layout =
      export_multihead(*make_attention(attention_mode("full"), true, false));
  if (plan().learned().size() == 3) {
    EXPECT_NO_THROW(import_multihead(*target, layout));
  } else {
    EXPECT_THROW(import_multihead(*target, layout), c10::Error);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, EveryModesSelfAttention, attending_modes(), mode_name);

TEST(MultiheadLayout, BiasesMustBeOnBothSidesOrNeither) {
  const ProjectionPlan full = attention_mode("full");
  const SelfAttention with = make_attention(full, true, false);
  const SelfAttention without = make_attention(full, false, false);
  EXPECT_THROW(import_multihead(*SelfAttention(without), export_multihead(*with)), c10::Error);
  EXPECT_THROW(import_multihead(*SelfAttention(with), export_multihead(*without)), c10::Error);
}

TEST(MultiheadLayout, IsACopy) {
  const SelfAttention attention = make_attention(attention_mode("full"), true, false);
  const MultiheadLayout layout = export_multihead(*attention);
  const at::Tensor before = layout.in_proj_weight.clone();
  const at::NoGradGuard no_gradients;
  for (const at::Tensor& parameter : attention->parameters()) parameter.add_(1);
  EXPECT_TRUE(same(layout.in_proj_weight, before));
  EXPECT_FALSE(layout.in_proj_weight.requires_grad());
}

TEST(SelfAttention, HeadsThatDoNotDivideTheWidthAreRefused) {
  SelfAttentionOptions options;
  options.plan = attention_mode("full");
  options.width = 8;
  options.heads = 3;
  const RandomSource source(RandomScheme::kKeyed, 1);
  EXPECT_THROW(SelfAttention(options, InitialValues(source)), c10::Error);
  options.heads = 2;
  options.plan = attention_mode("none");
  EXPECT_THROW(SelfAttention(options, InitialValues(source)), c10::Error);
}

TEST(SelfAttention, RecordsItsWeightsFromBeforeDropout) {
  SelfAttentionOptions options;
  options.plan = attention_mode("full");
  options.width = 8;
  options.heads = 2;
  options.dropout = 0.2;
  const RandomSource source(RandomScheme::kKeyed, 1);
  const SelfAttention attention(options, InitialValues(source));
  DropoutStep step;
  step.sources.push_back(source);
  const at::Tensor x = normal({40, 1, 8}, 1);
  const SelfAttentionForward found = attention->forward(x, {}, &step);
  EXPECT_TRUE(same(found.attention.weights, at::ones({40, 2, 1, 1})));
  const at::Tensor dropped = (found.attention.context == 0).all(-1, /*keepdim=*/true);
  EXPECT_TRUE(near(found.attention.context, (found.projected.value / 0.8).masked_fill(dropped, 0)));
  EXPECT_NEAR(dropped.to(at::kDouble).mean().item<double>(), 0.2, 0.13);  // of 80
  EXPECT_GT(largest(dropped.to(at::kDouble)), 0);
}

}  // namespace
}  // namespace qkvlab

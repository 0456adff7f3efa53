#include "attention/attend.hpp"

#include <cmath>

#include "attention/fused.hpp"
#include "attention/random_mask.hpp"
#include "support/finite_difference.hpp"
#include "support/loops.hpp"
#include "support/numbers.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

struct Inputs {
  at::Tensor q, k, v;
};

/// Tq and Tk, Dh and Dv differ: cross-attention.
Inputs cross_inputs(at::ScalarType type = at::kFloat) {
  return {normal({2, 3, 5, 4}, 1, type), normal({2, 3, 7, 4}, 2, type),
          normal({2, 3, 7, 6}, 3, type)};
}

void expect_as_loops(const Inputs& in, const Mask& mask, std::optional<double> scale = {}) {
  AttendOptions options;
  options.scale = scale;
  const Attention found = attend(in.q, in.k, in.v, mask, options);

  const std::vector<int64_t> shape = found.products.sizes().vec();
  const at::Tensor allowed =
      mask.allowed().defined() ? mask.allowed().expand(shape) : at::ones(shape, at::kBool);
  const double factor = scale.value_or(1 / std::sqrt(static_cast<double>(in.q.size(-1))));
  const LoopAttention expected =
      attention_by_loops(in.q.flatten(0, -3), in.k.flatten(0, -3), in.v.flatten(0, -3),
                         allowed.flatten(0, -3), factor);
  const at::Tensor products = expected.products.view(shape);
  EXPECT_TRUE(near(found.products, products));
  EXPECT_TRUE(near(found.scores, (products * factor).masked_fill(~allowed, -kInfinity)));
  EXPECT_TRUE(near(found.weights, expected.weights.view(shape)));
  EXPECT_TRUE(near(found.context, expected.context.view(found.context.sizes())));
}

TEST(Attend, IsAttentionByPlainLoops) {
  const Inputs cross = cross_inputs();
  const Inputs self{normal({4, 6, 8}, 1), normal({4, 6, 8}, 2), normal({4, 6, 8}, 3)};
  const Inputs matrices{normal({3, 5}, 4), normal({3, 5}, 5), normal({3, 2}, 6)};
  for (const Inputs& in : {cross, self}) {
    const int64_t queries = in.q.size(-2), keys = in.k.size(-2);
    expect_as_loops(in, {});
    expect_as_loops(in, Mask::causal(queries, keys));
    expect_as_loops(in, Mask(random_mask({queries, keys}, 7)));
    expect_as_loops(in, {}, 0.3);
    expect_as_loops(in, Mask::causal(queries, keys), -2.0);
  }
  expect_as_loops({matrices.q.unsqueeze(0), matrices.k.unsqueeze(0), matrices.v.unsqueeze(0)}, {});
  EXPECT_TRUE(near(attend(matrices.q, matrices.k, matrices.v).context,
                   attend(matrices.q.unsqueeze(0), matrices.k.unsqueeze(0), matrices.v.unsqueeze(0))
                       .context.squeeze(0)));
}

TEST(Attend, MasksBroadcastOverBatchAndHeads) {
  const Inputs in = cross_inputs();
  expect_as_loops(in, Mask::key_padding(normal({2, 7}, 8) > 0).for_heads());
  expect_as_loops(in, Mask(random_mask({2, 5, 7}, 9)).for_heads());
  expect_as_loops(in, Mask(random_mask({2, 3, 5, 7}, 10)));
  expect_as_loops(in, (Mask::causal(5, 7) & Mask::key_padding(normal({2, 7}, 8) > 0)).for_heads());
}

TEST(Attend, IsLibTorchsFusedAttention) {
  const Inputs in = cross_inputs();
  EXPECT_TRUE(near(attend(in.q, in.k, in.v).context, fused_attention(in.q, in.k, in.v, {})));
  EXPECT_TRUE(near(attend(in.q, in.k, in.v, Mask::causal(5, 7)).context,
                   fused_attention(in.q, in.k, in.v, {}, /*causal=*/true)));
  at::Tensor allowed = normal({2, 3, 5, 7}, 11) > 0;
  allowed.select(-1, 0).fill_(true);  // LibTorch has NaN for rows without a key
  EXPECT_TRUE(near(attend(in.q, in.k, in.v, Mask(allowed)).context,
                   fused_attention(in.q, in.k, in.v, allowed)));
}

TEST(Attend, RowsOfWeightsSumToOneOrAreZero) {
  const Inputs in = cross_inputs();
  const at::Tensor allowed = random_mask({2, 3, 5, 7}, 12);
  const Attention found = attend(in.q, in.k, in.v, Mask(allowed));
  const at::Tensor alive = allowed.any(-1);
  ASSERT_FALSE(alive.all().item<bool>());
  EXPECT_TRUE(near(found.weights.sum(-1), alive.to(at::kFloat)));
  EXPECT_EQ(largest(found.weights.masked_select(~allowed)), 0);
  EXPECT_EQ(largest(found.context.masked_select(~alive.unsqueeze(-1))), 0);
}

TEST(Attend, DeadRowsTakeNoPartInGradients) {
  Inputs in = cross_inputs();
  for (at::Tensor* x : {&in.q, &in.k, &in.v}) x->requires_grad_();
  const at::Tensor allowed = random_mask({2, 3, 5, 7}, 12);
  const Attention found = attend(in.q, in.k, in.v, Mask(allowed));
  (weighted_sum(found.context) + weighted_sum(found.weights)).backward();
  for (const at::Tensor& x : {in.q, in.k, in.v})
    EXPECT_TRUE(x.grad().isfinite().all().item<bool>());
  EXPECT_EQ(largest(in.q.grad().select(-2, 0)), 0);
  EXPECT_GT(largest(in.q.grad().select(-2, 1)), 0);
}

TEST(Attend, WhereNothingMayBeAttendedToEverythingIsZero) {
  Inputs in = cross_inputs();
  for (at::Tensor* x : {&in.q, &in.k, &in.v}) x->requires_grad_();
  const Attention found = attend(in.q, in.k, in.v, Mask(at::zeros({5, 7}, at::kBool)));
  EXPECT_TRUE(same(found.weights, at::zeros_like(found.weights)));
  EXPECT_TRUE(same(found.context, at::zeros_like(found.context)));
  found.context.sum().backward();
  for (const at::Tensor& x : {in.q, in.k, in.v}) EXPECT_TRUE(same(x.grad(), at::zeros_like(x)));
}

TEST(Attend, GradientsAgreeWithFiniteDifferences) {
  Inputs in{normal({2, 3, 2}, 1, at::kDouble), normal({2, 4, 2}, 2, at::kDouble),
            normal({2, 4, 3}, 3, at::kDouble)};
  for (at::Tensor* x : {&in.q, &in.k, &in.v}) x->requires_grad_();
  const std::vector<Mask> masks = {Mask(), Mask::causal(3, 4),
                                   Mask::key_padding(bools({1, 1, 0, 1, 0, 0, 0, 0}, {2, 4})),
                                   Mask(random_mask({2, 3, 4}, 13))};
  for (const Mask& mask : masks) {
    for (const std::optional<double> scale :
         {std::optional<double>(), std::optional<double>(1.7)}) {
      AttendOptions options;
      options.scale = scale;
      EXPECT_TRUE(gradients_agree({in.q, in.k, in.v}, [&] {
        const Attention found = attend(in.q, in.k, in.v, mask, options);
        return weighted_sum(found.context) + weighted_sum(found.weights, 78);
      }));
    }
  }
}

TEST(Attend, LaterKeysAndValuesNeverReachEarlierCausalQueries) {
  const at::Tensor x = normal({2, 6, 4}, 1);
  const Mask causal = Mask::causal(6, 6);
  const at::Tensor before = attend(x, x, x, causal).context;
  for (int64_t t = 1; t < 6; ++t) {
    at::Tensor changed = x.clone();
    changed.select(1, t) += normal({2, 4}, 5) * 10;
    const at::Tensor after = attend(changed, changed, changed, causal).context;
    EXPECT_TRUE(same(after.narrow(1, 0, t), before.narrow(1, 0, t))) << t;
    EXPECT_FALSE(after.select(1, t).equal(before.select(1, t))) << t;
  }
}

TEST(Attend, ZeroQueriesAndKeysGiveRunningMeansUnderTheCausalMask) {
  const at::Tensor v = normal({2, 6, 4}, 1);
  const at::Tensor zero = at::zeros_like(v);
  const at::Tensor counts = at::arange(1, 7).to(at::kFloat).view({6, 1});
  EXPECT_TRUE(near(attend(zero, zero, v, Mask::causal(6, 6)).context, v.cumsum(1) / counts));
  EXPECT_TRUE(near(attend(zero, zero, v).context, v.mean(1, true).expand_as(v)));
}

TEST(Attend, LargeScoresNeitherOverflowNorUnderflow) {
  const at::Tensor q = at::tensor({1e4f, -1e4f}).view({2, 1});
  const at::Tensor k = at::tensor({1.0f, 2.0f, -1.0f}).view({3, 1});
  const at::Tensor v = at::tensor({1.0f, 2.0f, 3.0f}).view({3, 1});
  EXPECT_TRUE(same(attend(q, k, v).context, at::tensor({2.0f, 3.0f}).view({2, 1})));
}

TEST(Attend, WeightsAreThoseBeforeDropout) {
  DropoutStep step;
  step.sources.emplace_back(RandomScheme::kKeyed, 3);
  AttendOptions options;
  options.dropout = 0.2;
  options.dropout_step = &step;
  options.site = "weights";
  const at::Tensor v = normal({40, 1, 4}, 3);
  const Attention found = attend(normal({40, 1, 4}, 1), normal({40, 1, 4}, 2), v, {}, options);
  EXPECT_TRUE(same(found.weights, at::ones({40, 1, 1})));
  int64_t dropped = 0;
  for (int64_t n = 0; n < 40; ++n) {
    if (largest(found.context[n]) == 0) {
      ++dropped;
    } else {
      EXPECT_TRUE(near(found.context[n], v[n] / 0.8)) << n;
    }
  }
  EXPECT_GT(dropped, 0);
  EXPECT_LT(dropped, 40);
}

TEST(Attend, ShapesThatDoNotFitAreRefused) {
  const at::Tensor x = normal({2, 3, 4}, 1);
  EXPECT_THROW(attend(x, normal({2, 3, 5}, 2), x), c10::Error);
  EXPECT_THROW(attend(x, x, normal({2, 4, 4}, 2)), c10::Error);
  EXPECT_THROW(attend(normal({4}, 1), x, x), c10::Error);
}

}  // namespace
}  // namespace qkvlab

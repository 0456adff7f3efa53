// Attention in one pass against attend(), which its own tests hold to plain loops.
#include "attention/short_attention.hpp"

#include <cmath>

#include "attention/random_mask.hpp"

namespace qkvlab {
namespace {

struct Shape {
  std::vector<int64_t> leading;  // [B] or [R, B]
  int64_t tokens, heads, width;  // T, H, Dh

  std::vector<int64_t> sizes() const {
    std::vector<int64_t> result = leading;
    result.push_back(tokens);
    result.push_back(heads * width);
    return result;
  }
};

QueryKeyValue random_inputs(const Shape& shape, uint64_t seed = 1) {
  const auto draw = [&](uint64_t own) {
    return normal(shape.sizes(), seed + own).requires_grad_();
  };
  return {draw(0), draw(1), draw(2)};
}

at::Tensor by_heads(const at::Tensor& x, int64_t heads) {
  std::vector<int64_t> shape = x.sizes().vec();
  shape.back() = heads;
  shape.push_back(x.size(-1) / heads);
  return x.reshape(shape).transpose(-3, -2);  // [..., H, T, Dh]
}

/// The context [..., T, C] that attend() finds.
at::Tensor attended(const QueryKeyValue& in, int64_t heads, const Mask& mask,
                    const AttendOptions& options) {
  const at::Tensor context = attend(by_heads(in.query, heads), by_heads(in.key, heads),
                                    by_heads(in.value, heads), mask.for_heads(), options)
                                 .context;
  return context.transpose(-3, -2).reshape(in.value.sizes());
}

/// Sums that give every element of the context another gradient.
std::vector<at::Tensor> gradients_of(const at::Tensor& context,
                                     const std::vector<at::Tensor>& variables) {
  const at::Tensor weights = normal(context.sizes(), 77);
  return torch::autograd::grad({(context * weights).sum()}, variables);
}

void expect_as_attend(const QueryKeyValue& in, int64_t heads, const Mask& mask = {},
                      const AttendOptions& options = {}) {
  const at::Tensor found = short_attention(in, heads, mask, options);
  const at::Tensor expected = attended(in, heads, mask, options);
  ASSERT_TRUE(near(found, expected, 1e-5));
  const std::vector<at::Tensor> variables = {in.query, in.key, in.value};
  const auto ours = gradients_of(found, variables), theirs = gradients_of(expected, variables);
  for (size_t i = 0; i < variables.size(); ++i) ASSERT_TRUE(near(ours[i], theirs[i], 1e-5)) << i;
}

const Shape kShapes[] = {{{3}, 1, 1, 1},    {{2}, 2, 3, 5},     {{8}, 3, 1, 8},
                         {{4, 8}, 3, 1, 8}, {{3, 2}, 5, 2, 3},  {{2}, 16, 2, 32},
                         {{1}, 17, 1, 64},  {{2, 1}, 33, 4, 7}, {{1}, 128, 2, 16}};

TEST(ShortAttention, IsAttendUnderEveryMask) {
  for (const Shape& shape : kShapes) {
    const QueryKeyValue in = random_inputs(shape);
    const int64_t tokens = shape.tokens;
    SCOPED_TRACE(testing::Message() << in.value.sizes() << ", " << shape.heads << " heads");
    const Mask causal = Mask::causal(tokens, tokens);
    std::vector<int64_t> valid_shape = shape.leading;
    valid_shape.push_back(tokens);
    const at::Tensor valid = normal(valid_shape, 5) > 0;
    const at::Tensor shared = valid.dim() == 3 ? valid[0] : valid;
    valid_shape.push_back(tokens);
    for (const Mask& mask :
         {Mask(), causal, Mask::key_padding(valid), Mask::key_padding(shared),
          causal & Mask::key_padding(valid), Mask(random_mask({tokens, tokens}, 6)),
          Mask(random_mask(valid_shape, 7)), Mask(random_mask({tokens, tokens}, 8).t()),
          Mask(at::zeros({1, tokens}, at::kBool))}) {
      expect_as_attend(in, shape.heads, mask);
    }
  }
}

TEST(ShortAttention, GivesDeadRowsZerosAndFiniteGradients) {
  const QueryKeyValue in = random_inputs({{2}, 4, 2, 3});
  at::Tensor allowed = at::ones({2, 4, 4}, at::kBool);
  allowed[1][2].fill_(false);
  const at::Tensor context = short_attention(in, 2, Mask(allowed));
  EXPECT_EQ(largest(context[1][2]), 0);
  EXPECT_GT(largest(context[0][2]), 0);
  for (const at::Tensor& gradient : gradients_of(context, {in.query, in.key, in.value})) {
    EXPECT_TRUE(gradient.isfinite().all().item<bool>());
  }
}

TEST(ShortAttention, DropsWhatAttendDrops) {
  for (const Shape& shape : kShapes) {
    const QueryKeyValue in = random_inputs(shape);
    SCOPED_TRACE(testing::Message() << in.value.sizes());
    DropoutStep step;
    const int64_t replicas = shape.leading.size() == 2 ? shape.leading[0] : 1;
    for (int64_t r = 0; r < replicas; ++r) step.sources.emplace_back(RandomScheme::kKeyed, 40 + r);
    AttendOptions options;
    options.dropout_step = &step;
    options.site = "weights";
    for (const double p : {0.3, 1.0}) {
      options.dropout = p;
      expect_as_attend(in, shape.heads, Mask::causal(shape.tokens, shape.tokens), options);
    }
  }
}

TEST(ShortAttention, ReadsPackedSharedAndExpandedInputsWhereTheyLie) {
  const at::Tensor packed = normal({2, 3, 5, 12}, 1).requires_grad_();
  const auto parts = packed.chunk(3, -1);
  const at::Tensor ours = short_attention({parts[0], parts[1], parts[2]}, 2);
  const at::Tensor theirs = attended({parts[0], parts[1], parts[2]}, 2, {}, {});
  EXPECT_TRUE(near(ours, theirs, 1e-5));
  EXPECT_TRUE(near(gradients_of(ours, {packed})[0], gradients_of(theirs, {packed})[0], 1e-5));

  const at::Tensor x = normal({4, 5, 2}, 2).transpose(1, 2).requires_grad_();  // columns apart
  const at::Tensor one = normal({5}, 3).requires_grad_();
  const QueryKeyValue shared{x, x, one.expand({4, 2, 5})};
  const at::Tensor context = short_attention(shared, 1);
  const at::Tensor expected = attended(shared, 1, {}, {});
  EXPECT_TRUE(near(context, expected, 1e-5));
  const auto found = gradients_of(context, {x, one}), wanted = gradients_of(expected, {x, one});
  EXPECT_TRUE(near(found[0], wanted[0], 1e-5));
  EXPECT_TRUE(near(found[1], wanted[1], 1e-5));
}

TEST(ShortAttention, WithoutQueryAndKeyAveragesWhatMayBeSeen) {
  const at::Tensor value = normal({2, 4, 6}, 1).requires_grad_();
  const at::Tensor context = short_attention({{}, {}, value}, 2, Mask::causal(4, 4));
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(near(context.select(1, i), value.narrow(1, 0, i + 1).mean(1)));
  }
  const at::Tensor zeros = at::zeros({2, 4, 6});
  const at::Tensor expected = attended({zeros, zeros, value}, 2, Mask::causal(4, 4), {});
  EXPECT_TRUE(near(gradients_of(context, {value})[0], gradients_of(expected, {value})[0], 1e-5));
}

TEST(ShortAttention, FindsOnlyTheGradientsThatAreWanted) {
  const QueryKeyValue all = random_inputs({{2}, 4, 2, 3});
  const auto expected = gradients_of(short_attention(all, 2), {all.query, all.key, all.value});
  const std::vector<at::Tensor> inputs = {all.query, all.key, all.value};
  for (size_t i = 0; i < 3; ++i) {
    std::vector<at::Tensor> own;
    for (const at::Tensor& input : inputs) own.push_back(input.detach());
    own[i].requires_grad_();
    const at::Tensor context = short_attention({own[0], own[1], own[2]}, 2);
    EXPECT_TRUE(same(gradients_of(context, {own[i]})[0], expected[i])) << i;
  }
}

TEST(ShortAttention, OfAReplicaHasTheBitsOfTheSingleModel) {
  const QueryKeyValue in = random_inputs({{3, 2}, 5, 2, 4});
  const at::Tensor stacked = short_attention(in, 2);
  for (int64_t r = 0; r < 3; ++r) {
    EXPECT_TRUE(same(stacked[r], short_attention({in.query[r], in.key[r], in.value[r]}, 2)));
  }
}

TEST(ShortAttention, ANumberThatIsNoneStaysInItsSequence) {
  for (const double wrong : {double{NAN}, double{INFINITY}}) {
    const QueryKeyValue in = random_inputs({{3, 2}, 5, 2, 4});
    const std::vector<at::Tensor> variables = {in.query, in.key, in.value};
    const at::Tensor before = short_attention(in, 2);
    const auto gradients_before = gradients_of(before, variables);
    {
      const at::NoGradGuard no_gradients;
      for (const at::Tensor& input : variables) input[1][0].fill_(wrong);
    }
    const at::Tensor after = short_attention(in, 2);
    const auto gradients = gradients_of(after, variables);
    EXPECT_FALSE(after[1][0].isfinite().any().item<bool>());
    const auto others = [](const at::Tensor& x) {
      return at::cat({x[0], x[1].narrow(0, 1, 1), x[2]});
    };
    EXPECT_TRUE(same(others(after), others(before)));
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_TRUE(same(others(gradients[i]), others(gradients_before[i])));
    }
  }
}

TEST(ShortAttention, NanIsNotTakenForMasked) {
  const QueryKeyValue in = random_inputs({{1}, 3, 1, 2});
  const at::NoGradGuard no_gradients;
  in.query[0][1].fill_(NAN);
  for (const Mask& mask : {Mask(), Mask::causal(3, 3)}) {
    const at::Tensor context = short_attention(in, 1, mask);
    EXPECT_TRUE(context[0][1].isnan().all().item<bool>());
    EXPECT_TRUE(context[0][2].isfinite().all().item<bool>());
  }
}

TEST(ShortAttention, LeavesToAttendWhatItIsNotFor) {
  EXPECT_TRUE(can_fuse(normal({2, 128, 4}, 1)));
  EXPECT_TRUE(can_fuse(normal({3, 2, 5, 4}, 1)));
  EXPECT_FALSE(can_fuse(normal({2, 129, 4}, 1)));
  EXPECT_FALSE(can_fuse(normal({2, 5, 4}, 1, at::kDouble)));
  EXPECT_FALSE(can_fuse(normal({5, 4}, 1)));
  EXPECT_FALSE(can_fuse(normal({0, 5, 4}, 1)));
  EXPECT_FALSE(can_fuse(at::empty({2, 5, 4}, at::device(at::kMeta))));
}

TEST(ShortAttention, RefusesASecondDerivative) {
  const QueryKeyValue in = random_inputs({{1}, 3, 1, 2});
  const at::Tensor loss = short_attention(in, 1).sum();
  EXPECT_THROW(torch::autograd::grad({loss}, {in.value}, {}, /*retain_graph=*/true,
                                     /*create_graph=*/true),
               c10::Error);
}

}  // namespace
}  // namespace qkvlab

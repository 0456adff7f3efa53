#include "attention/projections.hpp"

#include <map>
#include <set>

#include "attention/attend.hpp"
#include "layers/named_values.hpp"
#include "support/modes.hpp"
#include "support/reference.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

constexpr int64_t kModelWidth = 8;

/// A module that owns projections.
class OwnerImpl : public torch::nn::Module {
 public:
  OwnerImpl(const ProjectionPlan& plan, bool bias, bool packed,
            RandomScheme scheme = RandomScheme::kKeyed)
      : source(scheme, 31),
        projections({plan, kModelWidth, bias, packed}, *this, InitialValues(source)) {}

  at::Tensor weight(const std::string& name) const {
    return value_at(named_values(*this), name + ".weight");
  }

  RandomSource source;
  Projections projections;
};

/// What each mode makes of the input, written out by hand: "q", "k", "v" for the learned
/// projections, "x" for the input, "0" for zeros.
const std::map<std::string, std::vector<std::string>>& expected_sources() {
  static const std::map<std::string, std::vector<std::string>> table = {
      {"full", {"q", "k", "v"}},
      {"identity_qkv", {"x", "x", "x"}},
      {"identity_qk", {"x", "x", "v"}},
      {"identity_v", {"q", "k", "x"}},
      {"uniform", {"0", "0", "v"}},
      {"shared_qk", {"q", "q", "v"}},
      {"shared_kv", {"q", "k", "k"}},
      {"shared_qkv", {"q", "q", "q"}},
      {"none", {}},
  };
  return table;
}

/// W x + b of the projection "q", "k" or "v"; or what "x" and "0" stand for.
at::Tensor expected_value(const OwnerImpl& owner, const std::string& source, const at::Tensor& x) {
  if (source == "x") return x;
  if (source == "0") return at::zeros_like(x);
  const auto values = named_values(owner);
  const at::Tensor bias = value_at(values, source + "_proj.bias");
  const at::Tensor y = at::matmul(x, value_at(values, source + "_proj.weight").t());
  return bias.defined() ? y + bias : y;
}

class EveryModesProjections : public EveryMode {};

TEST_P(EveryModesProjections, AreThoseOfTheTable) {
  ASSERT_EQ(expected_sources().count(plan().mode), 1u) << "the table lacks a mode";
  const auto& sources = expected_sources().at(plan().mode);
  if (sources.empty()) {
    EXPECT_FALSE(plan().attends);
    return;
  }
  const at::Tensor x = normal({2, 5, kModelWidth}, 1);
  for (const bool bias : {true, false}) {
    for (const bool packed : {true, false}) {
      const OwnerImpl owner(plan(), bias, packed);
      const QueryKeyValue found = owner.projections.forward(x);
      EXPECT_TRUE(near(found.query, expected_value(owner, sources[0], x)));
      EXPECT_TRUE(near(found.key, expected_value(owner, sources[1], x)));
      EXPECT_TRUE(near(found.value, expected_value(owner, sources[2], x)));
    }
  }
}

TEST_P(EveryModesProjections, WhatIsNotLearnedDoesNotExist) {
  const auto& sources = expected_sources().at(plan().mode);
  const std::set<std::string> learned(sources.begin(), sources.end());
  for (const bool packed : {true, false}) {
    std::vector<std::string> expected;
    for (const std::string name : {"q", "k", "v"}) {
      if (learned.count(name) == 0) continue;
      expected.push_back(name + "_proj.weight");
      expected.push_back(name + "_proj.bias");
    }
    const OwnerImpl owner(plan(), /*bias=*/true, packed);
    std::vector<std::string> found;
    for (const NamedValue& value : named_values(owner)) found.push_back(value.path);
    // Packed weights come before packed biases.
    EXPECT_EQ(std::set<std::string>(found.begin(), found.end()),
              std::set<std::string>(expected.begin(), expected.end()));
    EXPECT_EQ(found.size(), expected.size());
    EXPECT_EQ(count_parameters(owner), static_cast<int64_t>(expected.size()) / 2 * (64 + 8));
    EXPECT_EQ(owner.parameters().size(), packed ? (expected.empty() ? 0u : 2u) : expected.size());
  }
}

TEST_P(EveryModesProjections, InitialValuesAreTheSamePackedOrNotAndInEveryMode) {
  const OwnerImpl full(attention_mode("full"), true, false);
  const OwnerImpl separate(plan(), true, false), packed(plan(), true, true);
  const OwnerImpl stream_separate(plan(), true, false, RandomScheme::kTorchStream);
  const OwnerImpl stream_packed(plan(), true, true, RandomScheme::kTorchStream);
  for (const NamedValue& value : named_values(separate)) {
    SCOPED_TRACE(value.path);
    EXPECT_TRUE(same(value.value, value_at(named_values(full), value.path)));
    EXPECT_TRUE(same(value_at(named_values(packed), value.path), value.value));
    EXPECT_TRUE(same(value_at(named_values(stream_packed), value.path),
                     value_at(named_values(stream_separate), value.path)));
  }
}

TEST_P(EveryModesProjections, RawScoresAreSymmetricInExactlyTheseModes) {
  const std::set<std::string> symmetric = {"identity_qkv", "identity_qk", "shared_qk", "shared_qkv",
                                           "uniform"};
  const bool expected = symmetric.count(plan().mode) > 0;
  EXPECT_EQ(plan().symmetric_scores(), expected);
  if (!plan().attends) return;
  const OwnerImpl owner(plan(), true, false);
  const QueryKeyValue qkv = owner.projections.forward(normal({3, 6, kModelWidth}, 1));
  const at::Tensor products = attend(qkv.query, qkv.key, qkv.value).products;
  const at::Tensor asymmetry = products - products.transpose(-2, -1);
  if (expected) {
    EXPECT_EQ(largest(asymmetry), 0);
  } else {
    EXPECT_GT(largest(asymmetry), 0.1);
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, EveryModesProjections, all_modes(), mode_name);

TEST(Projections, APlanMayBorrowInAnyDirection) {
  const at::Tensor x = normal({2, 5, kModelWidth}, 1);
  for (const bool packed : {true, false}) {
    const OwnerImpl backwards({"custom", true, Source::kValue, Source::kOwn, Source::kOwn}, true,
                              packed);
    const QueryKeyValue found = backwards.projections.forward(x);
    EXPECT_TRUE(near(found.query, expected_value(backwards, "v", x)));
    EXPECT_TRUE(near(found.key, expected_value(backwards, "k", x)));
    EXPECT_TRUE(near(found.value, expected_value(backwards, "v", x)));

    const OwnerImpl of_input({"custom", true, Source::kKey, Source::kIdentity, Source::kZero}, true,
                             packed);
    const QueryKeyValue plain = of_input.projections.forward(x);
    EXPECT_TRUE(same(plain.query, x));
    EXPECT_TRUE(same(plain.key, x));
    EXPECT_TRUE(same(plain.value, at::zeros_like(x)));
    EXPECT_TRUE(of_input.parameters().empty());
  }
}

// Four modes as a PyTorch program computed them.
TEST(Projections, WithAttendReproduceTheReferenceModes) {
  const nlohmann::json reference = load_reference("ablation_modes.json");
  const at::Tensor x = tensor_of(reference["x"]);
  ASSERT_EQ(reference["modes"].size(), 4u);
  for (const auto& [mode, expected] : reference["modes"].items()) {
    SCOPED_TRACE(mode);
    for (const bool packed : {true, false}) {
      const OwnerImpl owner(attention_mode(mode), /*bias=*/false, packed);
      for (const std::string name : {"q", "k", "v"}) {
        const at::Tensor weight = owner.weight(name + "_proj");
        if (weight.defined()) weight.copy_(tensor_of(reference["w_" + name]));
      }
      const QueryKeyValue qkv = owner.projections.forward(x);
      const Attention found = attend(qkv.query, qkv.key, qkv.value);
      EXPECT_TRUE(near(found.weights, tensor_of(expected["weights"])));
      EXPECT_TRUE(near(found.context, tensor_of(expected["output"])));
    }
  }
}

}  // namespace
}  // namespace qkvlab

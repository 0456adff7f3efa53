#include "layers/named_values.hpp"

#include <algorithm>
#include <map>

#include "layers/packed_linear.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

/// A module with a parameter of its own, a plain child and a packed one.
class OwnerImpl : public torch::nn::Module {
 public:
  OwnerImpl() {
    scale = register_parameter("scale", normal({3}, 1));
    plain = register_module("plain", Linear(normal({2, 3}, 2), normal({2}, 3)));
    packed = register_module(
        "in_proj", PackedLinear(std::vector<std::string>{"q_proj", "v_proj"},
                                std::vector<Linear>{Linear(normal({3, 3}, 4), normal({3}, 5)),
                                                    Linear(normal({3, 3}, 6), normal({3}, 7))}));
  }

  at::Tensor scale;
  Linear plain{nullptr};
  PackedLinear packed{nullptr};
};

std::vector<std::string> paths(const torch::nn::Module& module) {
  std::vector<std::string> result;
  for (const NamedValue& value : named_values(module)) result.push_back(value.path);
  return result;
}

TEST(NamedValues, PackedLayersAppearAsTheirParts) {
  const OwnerImpl owner;
  std::vector<std::string> found = paths(owner);
  EXPECT_EQ(found.front(), "scale");
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found,
            (std::vector<std::string>{"plain.bias", "plain.weight", "q_proj.bias", "q_proj.weight",
                                      "scale", "v_proj.bias", "v_proj.weight"}));
  const auto values = named_values(owner);
  EXPECT_TRUE(same(value_at(values, "q_proj.weight"), normal({3, 3}, 4)));
  EXPECT_TRUE(same(value_at(values, "q_proj.bias"), normal({3}, 5)));
  EXPECT_TRUE(same(value_at(values, "v_proj.weight"), normal({3, 3}, 6)));
  EXPECT_TRUE(same(value_at(values, "v_proj.bias"), normal({3}, 7)));
  EXPECT_FALSE(value_at(values, "k_proj.weight").defined());
}

TEST(NamedValues, GradientsOfPackedPartsAreTheSlicesGradients) {
  const OwnerImpl owner;
  for (const NamedValue& value : named_values(owner)) EXPECT_FALSE(value.gradient.defined());
  const at::Tensor x = normal({5, 3}, 8);
  const at::Tensor y = owner.packed->forward(x);  // [5, 6]
  const at::Tensor weights = normal({5, 6}, 9);
  (y * weights).sum().backward();
  // d/dW Σ c (x Wᵀ + b) = cᵀ x, and d/db = Σ c.
  const auto columns = weights.chunk(2, -1);
  const std::map<std::string, at::Tensor> expected = {{"q_proj.weight", columns[0].t().mm(x)},
                                                      {"v_proj.weight", columns[1].t().mm(x)},
                                                      {"q_proj.bias", columns[0].sum(0)},
                                                      {"v_proj.bias", columns[1].sum(0)}};
  for (const NamedValue& value : named_values(owner)) {
    SCOPED_TRACE(value.path);
    if (expected.count(value.path) > 0) {
      EXPECT_TRUE(near(value.gradient, expected.at(value.path)));
    } else {
      EXPECT_FALSE(value.gradient.defined());
    }
  }
}

TEST(NamedValues, SlicesOfStackedReplicasKeepTheReplicaDimension) {
  const OwnerImpl owner;
  for (auto& parameter : owner.named_parameters()) {
    const at::Tensor other = parameter.value().detach() + 1;
    parameter.value().set_data(at::stack({parameter.value().detach(), other}));
  }
  owner.packed->forward(normal({2, 5, 3}, 8)).sum().backward();
  for (const NamedValue& value : named_values(owner)) {
    if (value.path != "v_proj.weight" && value.path != "v_proj.bias") continue;
    const bool weight = value.path == "v_proj.weight";
    const at::Tensor single = weight ? normal({3, 3}, 6) : normal({3}, 7);
    EXPECT_TRUE(near(value.value, at::stack({single, single + 1})));
    EXPECT_EQ(value.gradient.sizes(), value.value.sizes());
  }
}

TEST(NamedValues, WritingToAPartSetsTheParameter) {
  const OwnerImpl owner;
  const at::Tensor replacement = normal({3, 3}, 20);
  value_at(named_values(owner), "v_proj.weight").copy_(replacement);
  EXPECT_TRUE(same(owner.packed->weight.detach().narrow(0, 3, 3), replacement));
}

TEST(NamedValues, CountsEveryNumberOnce) {
  EXPECT_EQ(count_parameters(OwnerImpl()), 3 + (6 + 2) + 2 * (9 + 3));
}

TEST(PackedLinear, ComputesItsPartsSideBySide) {
  const Linear first(normal({2, 3}, 1), at::Tensor()), second(normal({2, 3}, 2), at::Tensor());
  const PackedLinear packed(std::vector<std::string>{"a", "b"}, std::vector<Linear>{first, second});
  const at::Tensor x = normal({4, 3}, 3);
  EXPECT_TRUE(near(packed->forward(x), at::cat({first->forward(x), second->forward(x)}, -1)));
}

}  // namespace
}  // namespace qkvlab

#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "support/tensors.hpp"

namespace qkvlab {

/// Central finite differences of `value` (of the current values of `variable`, in double) with
/// respect to each element of `variable`, which is left as it was.
inline at::Tensor finite_difference(const at::Tensor& variable,
                                    const std::function<double()>& value) {
  constexpr double kStep = 1e-5;  // errors of truncation and rounding are both near 1e-10
  const at::Tensor data = variable.detach().view(-1);  // shares the memory
  const at::Tensor gradient = at::zeros_like(data);
  for (int64_t i = 0; i < data.numel(); ++i) {
    const double original = data[i].item<double>();
    data[i].fill_(original + kStep);
    const double above = value();
    data[i].fill_(original - kStep);
    const double below = value();
    data[i].fill_(original);
    gradient[i].fill_((above - below) / (2 * kStep));
  }
  return gradient.view_as(variable);
}

/// Whether backward() through `objective` (a scalar of the current values of `variables`, in
/// double) gives each variable the gradient that finite differences give it, within 1e-6 of its
/// largest element. A variable that has no gradient counts as having zeros.
inline testing::AssertionResult gradients_agree(const std::vector<at::Tensor>& variables,
                                                const std::function<at::Tensor()>& objective) {
  for (const at::Tensor& variable : variables) variable.mutable_grad() = at::Tensor();
  objective().backward();
  const auto value = [&] {
    const at::NoGradGuard no_gradients;
    return objective().item<double>();
  };
  for (size_t i = 0; i < variables.size(); ++i) {
    const at::Tensor expected = finite_difference(variables[i], value);
    const at::Tensor actual =
        variables[i].grad().defined() ? variables[i].grad() : at::zeros_like(expected);
    const double allowed = 1e-6 * std::max(largest(expected), 1e-3);
    const double found = largest(actual - expected);
    if (!(found <= allowed)) {
      return testing::AssertionFailure() << "gradient " << i << " is off by " << found
                                         << ", allowed are " << allowed << "\nbackward:\n"
                                         << actual << "\nfinite differences:\n"
                                         << expected;
    }
  }
  return testing::AssertionSuccess();
}

/// A scalar in which every element of `x` weighs differently, so that no error cancels.
inline at::Tensor weighted_sum(const at::Tensor& x, uint64_t seed = 77) {
  return (x * normal(x.sizes(), seed, x.scalar_type())).sum();
}

}  // namespace qkvlab

#pragma once

#include <torch/torch.h>
// After torch: glog, which it brings, and gtest define some of the same macros.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace qkvlab {

/// Standard normal numbers of a generator of their own: the same whatever ran before.
inline at::Tensor normal(at::IntArrayRef shape, uint64_t seed, at::ScalarType type = at::kFloat) {
  const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  return at::randn(shape, generator, at::TensorOptions(type));
}

/// Whole numbers from 0 to `end` - 1.
inline at::Tensor whole_numbers(int64_t end, at::IntArrayRef shape, uint64_t seed) {
  const at::Generator generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  return at::randint(end, shape, generator, at::TensorOptions(at::kLong));
}

inline at::Tensor bools(at::ArrayRef<int64_t> values, at::IntArrayRef shape) {
  return at::tensor(values, at::kLong).view(shape).to(at::kBool);
}

/// The largest absolute value; 0 of nothing.
inline double largest(const at::Tensor& x) {
  return x.numel() == 0 ? 0.0 : x.abs().max().item<double>();
}

/// Whether shapes agree and no element differs by more than `tolerance` times the larger of 1 and
/// the largest expected value. Equal infinities agree; NaN agrees with nothing.
inline testing::AssertionResult near(const at::Tensor& actual, const at::Tensor& expected,
                                     double tolerance = 1e-6) {
  if (!actual.defined() || !expected.defined()) {
    return testing::AssertionFailure() << "a tensor is undefined";
  }
  if (actual.sizes() != expected.sizes()) {
    return testing::AssertionFailure() << actual.sizes() << " instead of " << expected.sizes();
  }
  const at::Tensor a = actual.detach().to(at::kDouble);
  const at::Tensor e = expected.detach().to(at::kDouble);
  const at::Tensor difference = at::where(a == e, at::zeros_like(a), a - e);
  const at::Tensor finite = e.masked_select(e.isfinite());
  const double allowed = tolerance * std::max(1.0, largest(finite));
  const double found = largest(difference);
  if (found <= allowed) return testing::AssertionSuccess();  // false for NaN
  return testing::AssertionFailure()
         << "differs by " << found << ", allowed are " << allowed << "\nactual:\n"
         << actual << "\nexpected:\n"
         << expected;
}

/// Whether two tensors are the same to the last bit.
inline testing::AssertionResult same(const at::Tensor& actual, const at::Tensor& expected) {
  if (!actual.defined() || !expected.defined()) {
    return testing::AssertionFailure() << "a tensor is undefined";
  }
  if (actual.sizes() == expected.sizes() && at::equal(actual, expected)) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << actual << "\nis not\n" << expected;
}

}  // namespace qkvlab

#include "training/divergence.hpp"

#include <ATen/ATen.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "layers/tensor_values.hpp"

namespace qkvlab {

namespace {

bool is_masked(std::string_view name) {
  constexpr std::string_view kScores = "scores";
  return name.size() >= kScores.size() && name.substr(name.size() - kScores.size()) == kScores;
}

/// Looks for the culprits of some runs through one tensor after the other.
class Search {
 public:
  Search(const ModelImpl& model, const std::vector<int64_t>& runs)
      : replicas_(model.replicas()), runs_(runs), culprits_(runs.size()) {}

  /// It is the culprit of those runs that have none yet and whose part of it is not finite. Returns
  /// whether there are runs without.
  bool look_at(const std::string& name, const at::Tensor& tensor) {
    const std::vector<double> sums = sums_of(tensor);
    for (size_t i = 0; i < runs_.size(); ++i) {
      if (!culprits_[i].empty()) continue;
      // A finite sum says without a copy that there is nothing here; an infinite one may be of
      // finite numbers.
      const size_t place = replicas_ > 0 ? static_cast<size_t>(runs_[i]) : 0;
      if (std::isfinite(sums[place])) continue;
      const at::Tensor part = replicas_ > 0 ? tensor[runs_[i]] : tensor;
      if (is_wrong(name, part)) culprits_[i] = name;
    }
    return !all_found();
  }

  bool all_found() const {
    return std::none_of(culprits_.begin(), culprits_.end(),
                        [](const std::string& culprit) { return culprit.empty(); });
  }

  const std::vector<std::string>& culprits() const { return culprits_; }

 private:
  /// Of each run's numbers; of a single model one sum.
  std::vector<double> sums_of(const at::Tensor& tensor) const {
    if (replicas_ == 0) return {tensor.sum().item<double>()};
    if (tensor.dim() == 1) return double_values(tensor);
    std::vector<int64_t> inner(tensor.dim() - 1);
    std::iota(inner.begin(), inner.end(), 1);
    return double_values(tensor.sum(at::IntArrayRef(inner)));
  }

  static bool is_wrong(const std::string& name, const at::Tensor& part) {
    if (!is_masked(name)) return !part.isfinite().all().item<bool>();
    return (part.isnan() | part.isposinf()).any().item<bool>();  // −∞ is what masks do
  }

  int64_t replicas_;
  const std::vector<int64_t>& runs_;
  std::vector<std::string> culprits_;
};

/// What of the forward passes is not finite; empty for a run of which all is.
std::vector<std::string> first_of_forward_passes(const ModelImpl& model,
                                                 const std::vector<Questions>& passes,
                                                 DropoutStep dropout_step,
                                                 const std::vector<int64_t>& runs) {
  const torch::NoGradGuard no_grad;
  Search search(model, runs);
  for (const Questions& pass : passes) {
    if (search.all_found()) break;
    model.visit_intermediates(pass.input, pass.rows, &dropout_step,
                              [&](const std::string& name, const at::Tensor& value) {
                                return search.look_at(name, value);
                              });
    ++dropout_step.micro_batch;
  }
  return search.culprits();
}

}  // namespace

std::vector<std::string> first_non_finite(const ModelImpl& model,
                                          const std::vector<int64_t>& runs) {
  const torch::NoGradGuard no_grad;
  Search search(model, runs);
  const std::vector<NamedValue> values = named_values(model);
  for (const NamedValue& parameter : values) search.look_at(parameter.path, parameter.value);
  for (const NamedValue& parameter : values) {
    if (search.all_found()) break;
    if (parameter.gradient.defined()) {
      search.look_at("gradient of " + parameter.path, parameter.gradient);
    }
  }
  return search.culprits();
}

std::vector<std::string> culprits_of(const ModelImpl& model, const std::vector<Questions>& passes,
                                     DropoutStep dropout_step,
                                     const std::vector<DivergedRun>& diverged) {
  std::vector<int64_t> runs;
  for (const DivergedRun& one : diverged) runs.push_back(one.run);
  std::vector<std::string> culprits = first_non_finite(model, runs);
  // Gradients follow from a loss that is not finite.
  std::vector<int64_t> searched;  // runs of which the forward pass went wrong
  std::vector<std::string*> unknown;
  for (size_t i = 0; i < diverged.size(); ++i) {
    const bool parameter = !culprits[i].empty() && culprits[i].rfind("gradient", 0) != 0;
    if (diverged[i].loss_is_finite || parameter) continue;
    searched.push_back(diverged[i].run);
    unknown.push_back(&culprits[i]);
  }
  const std::vector<std::string> found =
      first_of_forward_passes(model, passes, std::move(dropout_step), searched);
  for (size_t i = 0; i < found.size(); ++i) *unknown[i] = found[i].empty() ? "loss" : found[i];
  for (std::string& culprit : culprits) {
    // Each gradient may be finite, and their norm beyond float32's range.
    if (culprit.empty()) culprit = "the norm of all gradients";
  }
  return culprits;
}

}  // namespace qkvlab

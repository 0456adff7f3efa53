#include "attention/projections.hpp"

#include <ATen/ATen.h>

#include <algorithm>

namespace qkvlab {

bool scores_are_zero(const ProjectionPlan& plan) {
  const auto [query, key, value] = plan.resolved();
  return query == Source::kZero || key == Source::kZero;
}

Projections::Projections(const ProjectionOptions& options, torch::nn::Module& owner,
                         const InitialValues& initial)
    : options_(options) {
  const std::vector<std::string> learned = options.plan.learned();
  for (const std::string& name : learned) {
    const LinearOptions shape{options.width, options.width, options.bias, /*residual=*/false,
                              options.exact};
    separate_.emplace_back(shape, initial.submodule(name));
  }
  if (options.packed && !learned.empty()) {
    packed_ = owner.register_module("in_proj", PackedLinear(learned, separate_));
    separate_.clear();
  }
  for (size_t i = 0; i < separate_.size(); ++i) owner.register_module(learned[i], separate_[i]);
}

QueryKeyValue Projections::forward(const at::Tensor& x) const {
  const ProjectionPlan& plan = options_.plan;
  std::vector<at::Tensor> own;  // in the order of learned()
  if (packed_.is_empty()) {
    for (const Linear& projection : separate_) own.push_back(projection->forward(x));
  } else {
    own = packed_->forward(x).chunk(static_cast<int64_t>(packed_->names.size()), -1);
  }
  const std::vector<std::string> learned = plan.learned();
  const auto value_of = [&](Source source) {
    if (source == Source::kIdentity) return x;
    if (source == Source::kZero) return at::zeros_like(x);
    const auto name = std::find(learned.begin(), learned.end(), projection_name(source));
    return own.at(name - learned.begin());
  };
  const auto [query, key, value] = plan.resolved();
  return {value_of(query), value_of(key), value_of(value)};
}

}  // namespace qkvlab

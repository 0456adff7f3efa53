#include "attention/projections.hpp"

#include <ATen/ATen.h>

namespace qkvlab {

Projections::Projections(const ProjectionOptions& options, torch::nn::Module& owner,
                         const InitialValues& initial)
    : options_(options) {
  const std::vector<std::string> learned = options.plan.learned();
  for (const std::string& name : learned) {
    const LinearOptions shape{options.width, options.width, options.bias};
    separate_.emplace_back(shape, initial.submodule(name));
  }
  if (options.packed && !learned.empty()) {
    packed_ = owner.register_module("in_proj", PackedLinear(learned, separate_));
    separate_.clear();
  }
  for (size_t i = 0; i < separate_.size(); ++i) owner.register_module(learned[i], separate_[i]);
}

QueryKeyValue Projections::forward(const at::Tensor& x) const {
  std::vector<at::Tensor> own;  // in the order of learned()
  if (packed_.is_empty()) {
    for (const Linear& projection : separate_) own.push_back(projection->forward(x));
  } else {
    own = packed_->forward(x).chunk(static_cast<int64_t>(packed_->names.size()), -1);
  }

  size_t next_own = 0;
  const auto make = [&](Source source) {
    switch (source) {
      case Source::kOwn:
        return own[next_own++];
      case Source::kIdentity:
        return x;
      case Source::kZero:
        return at::zeros_like(x);
      default:
        return at::Tensor();  // borrowed, below
    }
  };
  const ProjectionPlan& plan = options_.plan;
  // Braces: evaluated in the order query, key, value.
  const QueryKeyValue made{make(plan.query), make(plan.key), make(plan.value)};
  const auto borrow = [&](Source source, const at::Tensor& otherwise) {
    switch (source) {
      case Source::kQuery:
        return made.query;
      case Source::kKey:
        return made.key;
      case Source::kValue:
        return made.value;
      default:
        return otherwise;
    }
  };
  return {borrow(plan.query, made.query), borrow(plan.key, made.key),
          borrow(plan.value, made.value)};
}

}  // namespace qkvlab

#pragma once

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "random/initial_values.hpp"

namespace qkvlab {

/// A lookup table [rows, width] or [R, rows, width].
class EmbeddingImpl : public torch::nn::Module {
 public:
  EmbeddingImpl(int64_t rows, int64_t width, const InitialValues& initial);

  /// ids (int64) [B, T], the same for all replicas, or [R, B, T], to [B, T, width] or
  /// [R, B, T, width].
  at::Tensor forward(const at::Tensor& ids) const;

  at::Tensor weight;
};
TORCH_MODULE(Embedding);

/// The lookup of EmbeddingImpl::forward in a table that belongs elsewhere.
at::Tensor look_up(const at::Tensor& table, const at::Tensor& ids);

}  // namespace qkvlab

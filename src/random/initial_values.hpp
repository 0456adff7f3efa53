#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "random/random_source.hpp"

namespace qkvlab {

/// Draws the initial values of one module's parameters; the place where initial scales are decided.
/// The scales are those of PyTorch's own layers, so that under `torch_stream` a model comes out as
/// the equivalent PyTorch program makes it: draws happen as a module is constructed, in the order
/// of its construction. Under `keyed` each parameter draws from the generator of its own path.
///
/// Cheap to copy; refers to the source, which must outlive it.
class InitialValues {
 public:
  explicit InitialValues(const RandomSource& source, std::string path = "")
      : source_(&source), path_(std::move(path)) {}
  explicit InitialValues(const RandomSource&& source, std::string path = "") = delete;

  /// The path of the module, ending in a dot unless it is empty.
  const std::string& path() const { return path_; }

  /// The same source for the submodule `name`.
  InitialValues submodule(const std::string& name) const;

  /// A linear layer's weight [out, in]: uniform within ±1/√in, which PyTorch's
  /// kaiming_uniform_(a = √5) comes down to, to the last bit of float32.
  at::Tensor linear_weight(const std::string& name, int64_t out, int64_t in) const;

  /// A linear layer's bias [out]: uniform within ±1/√in.
  at::Tensor linear_bias(const std::string& name, int64_t out, int64_t in) const;

  /// A lookup table [rows, width]: standard normal, as torch.nn.Embedding.
  at::Tensor embedding(const std::string& name, int64_t rows, int64_t width) const;

  /// Normal with mean 0 and the given standard deviation, as `torch.randn(shape) * deviation`.
  at::Tensor normal(const std::string& name, at::IntArrayRef shape, double deviation) const;

 private:
  at::Generator generator(const std::string& name) const;

  const RandomSource* source_;
  std::string path_;
};

}  // namespace qkvlab

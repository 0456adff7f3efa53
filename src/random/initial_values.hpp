#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "config/model_config.hpp"
#include "random/random_source.hpp"

namespace qkvlab {

/// How far the initial values of a model spread.
struct InitialScales {
  InitScheme scheme = InitScheme::kTorch;
  int64_t layers = 1;  // blocks of the model: GPT-2's scheme starts them smaller the more they are
};

/// Draws the initial values of one module's parameters; the place where initial scales are decided.
///
/// kTorch: the scales of PyTorch's own layers, so that under `torch_stream` a model comes out as
/// the equivalent PyTorch program makes it: draws happen as a module is constructed, in the order
/// of its construction. Under `keyed` each parameter draws from the generator of its own path.
///
/// kGpt2 (Radford et al. 2019): every linear weight and embedding is normal with deviation 0.02, as
/// torch.nn.init.normal_ draws it. The weights that write into the residual stream, of which each
/// of n blocks has two, are smaller by √(2n), so that their sum does not grow with the depth.
/// Biases are zero and draw nothing.
///
/// Cheap to copy; refers to the source, which must outlive it.
class InitialValues {
 public:
  explicit InitialValues(const RandomSource& source, const InitialScales& scales = {},
                         std::string path = "")
      : source_(&source), scales_(scales), path_(std::move(path)) {}
  explicit InitialValues(const RandomSource&& source, const InitialScales& scales = {},
                         std::string path = "") = delete;

  /// The path of the module, ending in a dot unless it is empty.
  const std::string& path() const { return path_; }

  /// The same source for the submodule `name`.
  InitialValues submodule(const std::string& name) const;

  /// A linear layer's weight [out, in]. kTorch: uniform within ±1/√in, which PyTorch's
  /// kaiming_uniform_(a = √5) comes down to, to the last bit of float32. `residual` says that the
  /// layer writes into the residual stream.
  at::Tensor linear_weight(const std::string& name, int64_t out, int64_t in,
                           bool residual = false) const;

  /// A linear layer's bias [out]. kTorch: uniform within ±1/√in.
  at::Tensor linear_bias(const std::string& name, int64_t out, int64_t in) const;

  /// A lookup table [rows, width]. kTorch: standard normal, as torch.nn.Embedding.
  at::Tensor embedding(const std::string& name, int64_t rows, int64_t width) const;

  /// Normal with mean 0 and the given standard deviation, as `torch.randn(shape) * deviation`;
  /// whatever the scheme.
  at::Tensor normal(const std::string& name, at::IntArrayRef shape, double deviation) const;

 private:
  at::Generator generator(const std::string& name) const;

  const RandomSource* source_;
  InitialScales scales_;
  std::string path_;
};

}  // namespace qkvlab

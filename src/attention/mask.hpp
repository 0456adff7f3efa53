#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace qkvlab {

/// Which keys each query may attend to; true = may attend, everywhere in this project (PyTorch's
/// MultiheadAttention means the opposite). Scores are masked before the softmax.
///
/// A mask is made once per forward pass and used by every layer and head: finding the dead rows
/// (queries that may attend to nothing) costs a look at the values, which attend() is spared.
class Mask {
 public:
  /// Every query may attend to every key.
  Mask() = default;

  /// `allowed` (bool) [Tq, Tk], or [..., Tq, Tk] with leading dimensions that broadcast against
  /// those of the scores; Tq may be 1 where all queries see the same.
  explicit Mask(at::Tensor allowed);

  /// Query i may attend to keys 0..i (for cross-attention too: the top left corner is aligned, as
  /// in LibTorch's fused function).
  static Mask causal(int64_t queries, int64_t keys, at::Device device = at::kCPU);

  /// Keys are attended to where `valid` (bool) [..., Tk] is true: [..., 1, Tk].
  static Mask key_padding(const at::Tensor& valid);

  /// Attends only where both allow it.
  Mask operator&(const Mask& other) const;

  /// The same mask for scores that have a head dimension before the last two.
  Mask for_heads() const;

  /// Undefined where nothing is masked.
  const at::Tensor& allowed() const { return allowed_; }
  /// Undefined where nothing is masked, else ~allowed.
  const at::Tensor& blocked() const { return blocked_; }
  /// The rows [..., Tq, 1] that may attend to nothing; undefined where there is none.
  const at::Tensor& dead_rows() const { return dead_rows_; }

 private:
  /// Looks for dead rows only where there may be any.
  Mask(at::Tensor allowed, bool may_have_dead_rows);

  at::Tensor allowed_, blocked_, dead_rows_;
};

}  // namespace qkvlab

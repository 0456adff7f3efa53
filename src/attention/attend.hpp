#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>

#include "attention/mask.hpp"
#include "layers/dropout.hpp"

namespace qkvlab {

// Shapes, here and everywhere: B batch, T tokens (Tq queries, Tk keys), C model width, H heads,
// Dh head width (Dv where values have another), V vocabulary, K classes, R replicas.

struct AttendOptions {
  /// Multiplies the products; 1/√Dh where there is none.
  std::optional<double> scale;
  /// On the weights, drawn as `site` of `dropout_step`; nothing is dropped where that is null.
  double dropout = 0;
  const DropoutStep* dropout_step = nullptr;
  std::string site;
};

/// Everything that attention computes on its way, each [..., Tq, Tk] but the context.
struct Attention {
  at::Tensor products;  // Q Kᵀ
  at::Tensor scores;    // scaled and masked: -∞ where a query may not attend
  at::Tensor
      weights;  // softmax of the scores, before dropout; zero in a row that may attend to nothing
  at::Tensor context;  // [..., Tq, Dv]
};

/// Whether a forward pass hands out what it computed on its way, or only what the logits need: then
/// it may take another way, on which some of that does not exist.
enum class Keep { kLogits, kEverything };

/// Scaled dot-product attention, softmax(Q Kᵀ · scale + mask) V (Vaswani et al. 2017, equation 1).
///
/// q [..., Tq, Dh], k [..., Tk, Dh], v [..., Tk, Dv] with equal leading dimensions (replicas,
/// batch, heads); queries and keys may differ in number, and Dv from Dh. A query that may attend to
/// nothing gets zero weights and a zero context, and gradients stay finite. Shapes that do not fit
/// are a programmer's error (c10::Error).
Attention attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                 const Mask& mask = {}, const AttendOptions& options = {});

}  // namespace qkvlab

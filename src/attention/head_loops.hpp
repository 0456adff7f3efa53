#pragma once

#include <cstdint>
#include <vector>

#include "layers/small_products.hpp"

namespace qkvlab {

/// Which of one sequence's keys its queries may attend to: query i and key j at
/// allowed[i * query + j * key]; everything where `allowed` is null.
struct HeadMask {
  const bool* allowed = nullptr;
  int64_t query = 0;
  int64_t key = 1;
};

/// Query, key and value of one head of one sequence, [T, Dh] each; its scores are zero where query
/// and key have no data.
struct HeadInputs {
  MatrixView query, key, value;
};

/// Where gradients go, in rows of `row` numbers; null where one is not wanted.
struct HeadGradients {
  float* query = nullptr;
  float* key = nullptr;
  float* value = nullptr;
  int64_t row = 0;
};

/// Attention of single heads over short sequences in plain loops on float32, where tensor by tensor
/// the calls cost more than the numbers. Keeps its working memory from head to head.
class HeadLoops {
 public:
  HeadLoops(int64_t tokens, int64_t width);  // T, Dh

  /// The context [T, Dh], in rows of `context_row` numbers, and the weights [T, T] before dropout.
  /// `factors` [T, T], by which dropout multiplies the weights, may be null.
  void forward(const HeadInputs& head, const HeadMask& mask, const float* factors, float* weights,
               float* context, int64_t context_row);

  /// From the gradient of the context [T, Dh] to those of query, key and value, all of which are
  /// written, not added to.
  void backward(const HeadInputs& head, const float* weights, const float* factors,
                const MatrixView& context_gradient, const HeadGradients& gradients);

 private:
  const float* dropped(const float* weights, const float* factors);

  int64_t tokens_, width_;
  float scale_;
  SmallProducts products_;
  std::vector<float> dropped_, scores_gradient_;  // [T, T]
};

}  // namespace qkvlab

#include "layers/embedding.hpp"

#include <ATen/ATen.h>

#include "layers/replica_shape.hpp"

namespace qkvlab {

EmbeddingImpl::EmbeddingImpl(int64_t rows, int64_t width, const InitialValues& initial) {
  weight = register_parameter("weight", initial.embedding("weight", rows, width));
}

at::Tensor EmbeddingImpl::forward(const at::Tensor& ids, bool ids_per_replica) const {
  return look_up(weight, ids, ids_per_replica);
}

at::Tensor look_up(const at::Tensor& table, const at::Tensor& ids, bool ids_per_replica) {
  const int64_t replicas = replicas_of(table, 2);
  if (replicas == 0) return at::embedding(table, ids);
  const int64_t rows = table.size(1);
  // The R tables under one another are one table, in which replica r's ids start at r * rows.
  std::vector<int64_t> first_row_shape(ids.dim() + (ids_per_replica ? 0 : 1), 1);
  first_row_shape[0] = replicas;
  const at::Tensor first_row =
      at::arange(0, replicas * rows, rows, ids.options()).view(first_row_shape);  // [R, 1, ...]
  return at::embedding(table.reshape({replicas * rows, -1}), ids + first_row);    // [R, ..., width]
}

}  // namespace qkvlab

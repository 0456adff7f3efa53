#include "layers/embedding.hpp"

#include <ATen/ATen.h>

#include "layers/replica_lookup.hpp"
#include "layers/replica_shape.hpp"

namespace qkvlab {

EmbeddingImpl::EmbeddingImpl(int64_t rows, int64_t width, const InitialValues& initial) {
  weight = register_parameter("weight", initial.embedding("weight", rows, width));
}

at::Tensor EmbeddingImpl::forward(const at::Tensor& ids) const { return look_up(weight, ids); }

at::Tensor look_up(const at::Tensor& table, const at::Tensor& ids) {
  const int64_t replicas = replicas_of(table, 2);
  if (replicas == 0) return at::embedding(table, ids);
  TORCH_CHECK(ids.dim() == 2 || ids.dim() == 3, "ids are [B, T] or [R, B, T], got ", ids.sizes());
  if (ids.dim() == 3) check_replicas(ids, replicas);
  const int64_t rows = table.size(1);
  if (fits_replica_lookup(table)) {
    std::vector<int64_t> shape = {replicas, ids.size(-2), ids.size(-1), table.size(2)};
    return replica_lookup(table, ids.flatten(-2)).view(shape);  // [R, B, T, width]
  }
  // LibTorch's own check would let an id beyond one replica's rows read those of its neighbour.
  TORCH_CHECK(
      ids.numel() == 0 || (ids.min().item<int64_t>() >= 0 && ids.max().item<int64_t>() < rows),
      "ids must be from 0 to ", rows - 1);
  // The R tables under one another are one table, in which replica r's ids start at r * rows.
  const at::Tensor first_row =
      at::arange(0, replicas * rows, rows, ids.options()).view({replicas, 1, 1});
  return at::embedding(table.reshape({replicas * rows, -1}), ids + first_row);  // [R, B, T, width]
}

}  // namespace qkvlab

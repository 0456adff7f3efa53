#include "layers/replica_lookup.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "layers/row_loops.hpp"

namespace qkvlab {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct ReplicaLookup : torch::autograd::Function<ReplicaLookup> {
  /// ids [R, N], with a stride of 0 where they are the same for all replicas.
  static at::Tensor forward(AutogradContext* context, const at::Tensor& table,
                            const at::Tensor& ids) {
    const at::Tensor rows = table.contiguous();
    const int64_t count = ids.size(1), width = rows.size(2);
    const at::Tensor result = at::empty({rows.size(0), count, width}, rows.options());
    for (int64_t r = 0; r < rows.size(0); ++r) {
      gather_rows(rows.data_ptr<float>() + r * rows.stride(0),
                  ids.data_ptr<int64_t>() + r * ids.stride(0), count, width,
                  result.data_ptr<float>() + r * result.stride(0));
    }
    context->save_for_backward({ids});
    context->saved_data["rows"] = rows.size(1);
    return result;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    TORCH_CHECK(!at::GradMode::is_enabled(), "replica_lookup has no second derivative");
    const at::Tensor ids = context->get_saved_variables().front();
    const at::Tensor given = gradients[0].contiguous();  // [R, N, width]
    const int64_t count = given.size(1), width = given.size(2);
    const int64_t rows = context->saved_data["rows"].toInt();
    const at::Tensor found = at::zeros({given.size(0), rows, width}, given.options());
    for (int64_t r = 0; r < given.size(0); ++r) {
      scatter_add_rows(given.data_ptr<float>() + r * given.stride(0),
                       ids.data_ptr<int64_t>() + r * ids.stride(0), count, width,
                       found.data_ptr<float>() + r * found.stride(0));
    }
    return {found, {}};
  }
};

}  // namespace

bool fits_replica_lookup(const at::Tensor& table) {
  return table.is_cpu() && table.scalar_type() == at::kFloat;
}

at::Tensor replica_lookup(const at::Tensor& table, const at::Tensor& ids) {
  TORCH_CHECK(fits_replica_lookup(table) && table.dim() == 3 && ids.scalar_type() == at::kLong &&
                  (ids.dim() == 1 || (ids.dim() == 2 && ids.size(0) == table.size(0))),
              "replica_lookup: table [R, rows, width] and ids [N] or [R, N] do not fit: ",
              table.sizes(), ", ", ids.sizes());
  const at::Tensor dense = ids.contiguous();
  const auto* first = dense.data_ptr<int64_t>();
  // LibTorch's own check would let an id beyond one replica's rows read those of its neighbour.
  TORCH_CHECK(std::all_of(first, first + dense.numel(),
                          [&](int64_t id) { return id >= 0 && id < table.size(1); }),
              "ids must be from 0 to ", table.size(1) - 1);
  return ReplicaLookup::apply(table, ids.dim() == 1 ? dense.expand({table.size(0), -1}) : dense);
}

}  // namespace qkvlab

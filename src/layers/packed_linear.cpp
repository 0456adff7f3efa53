#include "layers/packed_linear.hpp"

#include <ATen/ATen.h>

namespace qkvlab {

namespace {

at::Tensor stack_rows(const std::vector<Linear>& parts, at::Tensor LinearImpl::*parameter) {
  std::vector<at::Tensor> rows;
  for (const Linear& part : parts) {
    const at::Tensor& value = part.get()->*parameter;
    if (!value.defined()) return {};  // a bias that the parts do not have
    rows.push_back(value.detach());
  }
  return at::cat(rows);
}

}  // namespace

PackedLinearImpl::PackedLinearImpl(std::vector<std::string> part_names,
                                   const std::vector<Linear>& parts)
    : LinearImpl(stack_rows(parts, &LinearImpl::weight), stack_rows(parts, &LinearImpl::bias)),
      names(std::move(part_names)) {
  exact = parts.front()->exact;
}

}  // namespace qkvlab

#pragma once

#include <string>
#include <vector>

#include "layers/linear.hpp"

namespace qkvlab {

/// Linear layers of one input and one size stored as one, their weights [out, in] under one
/// another, as torch.nn.MultiheadAttention stores its three projections: one product instead of
/// several. `names` says which slice is which; records, initial values and checkpoints speak of the
/// slices (see layers/named_values.hpp).
class PackedLinearImpl : public LinearImpl {
 public:
  PackedLinearImpl(std::vector<std::string> part_names, const std::vector<Linear>& parts);

  std::vector<std::string> names;
};
TORCH_MODULE(PackedLinear);

}  // namespace qkvlab

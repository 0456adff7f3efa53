#include "experiment/run_record.hpp"

#include <array>

#include "layers/tensor_values.hpp"

namespace qkvlab {

namespace {

/// "blocks.0.attention.q_proj.weight" belongs to a projection, "head.bias" does not.
bool is_of_projection(const std::string& path) {
  const std::array<std::string, 4> projections = {"q_proj.", "k_proj.", "v_proj.", "out_proj."};
  for (const std::string& name : projections) {
    const size_t at = path.find(name);
    if (at != std::string::npos && (at == 0 || path[at - 1] == '.')) return true;
  }
  return false;
}

}  // namespace

RunRecord run_record(const std::vector<NamedValue>& initial) {
  RunRecord record;
  for (const NamedValue& parameter : initial) {
    const int64_t count = parameter.value.numel();
    record.parameters_total += count;
    if (is_of_projection(parameter.path)) record.parameters_attention += count;
    record.initial_digests.emplace_back(parameter.path, digest({parameter.value}));
  }
  return record;
}

}  // namespace qkvlab

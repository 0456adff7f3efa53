#include "layers/named_values.hpp"

#include "layers/packed_linear.hpp"

namespace qkvlab {

namespace {

void append_parts(std::vector<NamedValue>& values, const PackedLinearImpl& packed,
                  const std::string& owner_path) {
  const auto count = static_cast<int64_t>(packed.names.size());
  for (const auto& parameter : packed.named_parameters(/*recurse=*/false)) {
    const int64_t rows = parameter.key() == "weight" ? -2 : -1;
    const auto slices = parameter.value().detach().chunk(count, rows);
    const at::Tensor& gradient = parameter.value().grad();
    const auto gradients =
        gradient.defined() ? gradient.chunk(count, rows) : std::vector<at::Tensor>(slices.size());
    for (size_t i = 0; i < slices.size(); ++i) {
      values.push_back(
          {owner_path + packed.names[i] + "." + parameter.key(), slices[i], gradients[i]});
    }
  }
}

void append_values(std::vector<NamedValue>& values, const torch::nn::Module& module,
                   const std::string& path) {
  for (const auto& parameter : module.named_parameters(/*recurse=*/false)) {
    values.push_back(
        {path + parameter.key(), parameter.value().detach(), parameter.value().grad()});
  }
  for (const auto& child : module.named_children()) {
    if (const auto* packed = child.value()->as<PackedLinearImpl>()) {
      append_parts(values, *packed, path);
    } else {
      append_values(values, *child.value(), path + child.key() + ".");
    }
  }
}

}  // namespace

std::vector<NamedValue> named_values(const torch::nn::Module& module) {
  std::vector<NamedValue> values;
  append_values(values, module, "");
  return values;
}

at::Tensor value_at(const std::vector<NamedValue>& values, const std::string& path) {
  for (const NamedValue& value : values) {
    if (value.path == path) return value.value;
  }
  return {};
}

int64_t count_parameters(const torch::nn::Module& module) {
  int64_t total = 0;
  for (const at::Tensor& parameter : module.parameters()) total += parameter.numel();
  return total;
}

}  // namespace qkvlab

#include "layers/named_values.hpp"

#include "layers/packed_linear.hpp"

namespace qkvlab {

namespace {

using TensorOf = std::function<at::Tensor(const at::Tensor& parameter)>;

void append_packed(NamedTensors& parts, const PackedLinearImpl& packed,
                   const std::string& owner_path, const TensorOf& of) {
  const auto count = static_cast<int64_t>(packed.names.size());
  for (const auto& parameter : packed.named_parameters(/*recurse=*/false)) {
    const int64_t rows = parameter.key() == "weight" ? -2 : -1;
    const at::Tensor whole = of(parameter.value());
    const auto slices =
        whole.defined() ? whole.chunk(count, rows) : std::vector<at::Tensor>(packed.names.size());
    for (size_t i = 0; i < slices.size(); ++i) {
      parts.emplace_back(owner_path + packed.names[i] + "." + parameter.key(), slices[i]);
    }
  }
}

void append_parts(NamedTensors& parts, const torch::nn::Module& module, const std::string& path,
                  const TensorOf& of) {
  for (const auto& parameter : module.named_parameters(/*recurse=*/false)) {
    parts.emplace_back(path + parameter.key(), of(parameter.value()));
  }
  for (const auto& child : module.named_children()) {
    if (const auto* packed = child.value()->as<PackedLinearImpl>()) {
      append_packed(parts, *packed, path, of);
    } else {
      append_parts(parts, *child.value(), path + child.key() + ".", of);
    }
  }
}

}  // namespace

std::vector<NamedValue> named_values(const torch::nn::Module& module) {
  const NamedTensors gradients =
      named_parts(module, [](const at::Tensor& parameter) { return parameter.grad(); });
  std::vector<NamedValue> values;
  for (auto& [path, value] :
       named_parts(module, [](const at::Tensor& parameter) { return parameter.detach(); })) {
    values.push_back({path, value, gradients[values.size()].second});
  }
  return values;
}

NamedTensors named_parts(const torch::nn::Module& module, const TensorOf& of) {
  NamedTensors parts;
  append_parts(parts, module, "", of);
  return parts;
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

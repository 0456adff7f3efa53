#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/tensors.hpp"

namespace qkvlab {

/// A file of tests/reference/.
inline nlohmann::json load_reference(const std::string& name) {
  std::ifstream file(std::string(QKVLAB_REFERENCE_FOLDER) + "/" + name);
  return nlohmann::json::parse(file);
}

/// A number or nested arrays of numbers as a tensor.
inline at::Tensor tensor_of(const nlohmann::json& nested, at::ScalarType type = at::kFloat) {
  if (!nested.is_array()) return at::scalar_tensor(nested.get<double>(), at::kDouble).to(type);
  std::vector<at::Tensor> parts;
  for (const auto& part : nested) parts.push_back(tensor_of(part, type));
  return at::stack(parts);
}

}  // namespace qkvlab

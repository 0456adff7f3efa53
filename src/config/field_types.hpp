#pragma once

#include <string>
#include <variant>

namespace qkvlab {

/// What `kind` says of a value of tagged structs.
template <typename... Ts>
std::string kind_of(const std::variant<Ts...>& value) {
  return std::visit([](const auto& alternative) { return std::string(alternative.kKind); }, value);
}

}  // namespace qkvlab

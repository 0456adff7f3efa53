#pragma once

#include <string>

#include "base/json.hpp"

namespace qkvlab {

/// Throws UserError about the value at a dotted path of a config's document, or, where the document
/// does not give it, about that path at the place of what would hold it.
[[noreturn]] void fail_at_path(const JsonValue& document, const std::string& path,
                               const std::string& complaint);

}  // namespace qkvlab

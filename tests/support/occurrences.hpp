#pragma once

#include <string>

namespace qkvlab {

/// How often a part occurs in a text, overlapping ones too.
inline size_t occurrences(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace qkvlab

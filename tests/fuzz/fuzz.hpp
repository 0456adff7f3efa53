#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "support/temporary_folder.hpp"

/// What libFuzzer calls with one input after the other, and the corpus's replay too. A target is a
/// file that defines it. What may come of any input: nothing but UserErrors, which the target
/// takes; everything else ends the process.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

namespace qkvlab::fuzz {

inline std::string_view text_of(const uint8_t* bytes, size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// Ends the process where a property does not hold.
inline void must(bool holds, const char* what) { require(holds, what); }

/// What `read` gives; nothing where it threw a UserError, which must say something. What must hold
/// of an accepted input is looked at outside, where no UserError is taken any more.
template <typename Read>
auto accepted(const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const UserError& error) {
    must(!std::string_view(error.what()).empty(), "a complaint must say something");
    return std::nullopt;
  }
}

/// Whether `action` came to its end; else it threw a UserError.
template <typename Action>
bool accepts(const Action& action) {
  return accepted([&] {
           action();
           return true;
         })
      .has_value();
}

/// The folder that a target writes its inputs to, for readers of files.
inline const TemporaryFolder& folder() {
  static const TemporaryFolder folder;
  return folder;
}

/// A line that divides an input into parts.
constexpr std::string_view kDivider = "\n===\n";

/// What stands before, between and behind the dividers.
inline std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  for (size_t end; (end = text.find(kDivider)) != std::string_view::npos;) {
    parts.emplace_back(text.substr(0, end + 1));  // with its newline
    text.remove_prefix(end + kDivider.size());
  }
  parts.emplace_back(text);
  return parts;
}

}  // namespace qkvlab::fuzz

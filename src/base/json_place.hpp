#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace qkvlab {

/// Where a JSON value stands, linked to the place of what contains it: paths are put together only
/// for complaints. Private to the JSON reader.
struct JsonPlace {
  std::shared_ptr<JsonPlace> parent;    // null for the whole text
  std::string step;                     // ".key" or "[2]"; for the whole text the file's name
  size_t begin = 0, end = 0;            // of an array's or object's text
  bool has_lines = true;                // of the whole text: complaints name a line
  bool asked_for = false;               // of an object's member
  std::set<std::string> asked_in_vain;  // an object's keys that it lacks
  std::optional<std::string> typed;     // the text of a scalar that was typed as an override
};

/// "w_q[2]", empty for the whole text.
std::string path_of(const JsonPlace* place);

/// Throws UserError: "FILE:LINE: KEY.PATH: complaint".
[[noreturn]] void fail_at(const JsonPlace* place, const std::string& path, int64_t line,
                          const std::string& complaint);

}  // namespace qkvlab

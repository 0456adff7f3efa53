#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "record/records.hpp"

namespace qkvlab {

/// Appends `record` as one strict JSON object and a newline.
void append_record(std::string& out, const Record& record);

/// Reads one line (without its newline). Throws UserError naming `source`, `line_number` and the
/// field where it is not a record of a known type with all its fields.
Record parse_record(std::string_view line, const std::string& source, int64_t line_number);

/// The same; nothing where the type is one that this version does not know.
std::optional<Record> parse_known_record(std::string_view line, const std::string& source,
                                         int64_t line_number);

}  // namespace qkvlab

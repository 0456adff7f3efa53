#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "record/records.hpp"

namespace qkvlab {

/// Appends `record` as one strict JSON object and a newline.
void append_record(std::string& out, const Record& record);

/// Reads one line (without its newline). Throws UserError naming `source`, `line_number` and the
/// field where it is not a record of a known type with all its fields.
Record parse_record(std::string_view line, const std::string& source, int64_t line_number);

/// What reading a file left out.
struct ReadSummary {
  int64_t records = 0;
  int64_t unknown_types = 0;   // lines of a type that this version does not know
  bool cut_last_line = false;  // the file does not end in a newline: its last line is not read
};

/// Calls `visit` with every whole record of a file, in order. A last line without its newline was
/// cut by a crash (or is being written just now) and is left out; the summary says so. Reads line
/// by line, never the whole file at once.
ReadSummary read_records(const std::string& path,
                         const std::function<void(const Record&, int64_t line_number)>& visit);

}  // namespace qkvlab

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "record/records.hpp"

namespace qkvlab {

/// The longest line of records that is read, in bytes: an attention map of 4,096 tokens takes less.
constexpr int64_t kMaxRecordLineBytes = int64_t{256} << 20;

/// What reading a file left out.
struct ReadSummary {
  int64_t records = 0;
  int64_t unknown_types = 0;         // lines of a type that this version does not know
  bool cut_last_line = false;        // the last line is no whole record, nor ended by a newline
  std::vector<std::string> damaged;  // what is wrong with each other line that is no record
};

/// Which types of records are read; a line of another type is passed over unread.
using WantsType = std::function<bool(std::string_view type)>;

/// Calls `visit` with every whole record of a file, in order. What is no record is left out and
/// told of: a last line that is not whole (cut by a crash, or being written just now), a damaged
/// line, one of a newer schema. Reads line by line, never the whole file at once. Throws UserError
/// where the file cannot be read, or a line is longer than kMaxRecordLineBytes.
ReadSummary read_records(const std::string& path,
                         const std::function<void(Record&&, int64_t line_number)>& visit,
                         const WantsType& wants = nullptr);

}  // namespace qkvlab

#pragma once

#include <cstdint>
#include <string>

namespace qkvlab {

/// Largest text file that is read at all, in bytes.
constexpr int64_t kMaxTextFileBytes = int64_t{256} << 20;

/// The whole of a UTF-8 text file. Throws UserError, naming `path` (and the line, where there is
/// one), where it is missing, unreadable, a folder, larger than `max_bytes`, not UTF-8, starts with
/// a byte-order mark, or holds a NUL byte. Pipes and /dev/stdin are read to their end.
std::string read_text_file(const std::string& path, int64_t max_bytes = kMaxTextFileBytes);
/// The same, but a byte-order mark is passed over: spreadsheets write one before their tables.
std::string read_table_file(const std::string& path, int64_t max_bytes = kMaxTextFileBytes);

/// Throws UserError: `path` cannot be read, for the reason of `error`, an errno.
[[noreturn]] void fail_reading(const std::string& path, int error);

}  // namespace qkvlab

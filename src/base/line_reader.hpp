#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"

namespace qkvlab {

/// Reads a file line by line, however large it is: one line is in memory at a time, and one that is
/// too long is refused before it is.
class LineReader {
 public:
  /// Throws UserError naming `path` where it cannot be opened.
  LineReader(std::string path, int64_t max_line_bytes);

  /// The next line, which lasts until the next call, with its newline, which only the last line may
  /// lack; empty at the end. Throws UserError where reading fails, or the line is longer than it
  /// may be.
  std::string_view next();
  /// The number of the line that next() gave, from 1.
  int64_t number() const { return number_; }

 private:
  /// Whether there was more to read.
  bool fill();

  std::string path_;
  Descriptor file_;
  size_t max_line_bytes_;
  std::string buffer_;
  size_t at_ = 0;  // where the next line begins in it
  int64_t number_ = 0;
};

}  // namespace qkvlab

#include "base/line_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/error.hpp"
#include "base/text_file.hpp"

namespace qkvlab {

namespace {

constexpr size_t kLineChunkBytes = size_t{1} << 16;

}  // namespace

LineReader::LineReader(std::string path, int64_t max_line_bytes)
    : path_(std::move(path)),
      file_(open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)),
      max_line_bytes_(static_cast<size_t>(max_line_bytes)) {
  if (file_.get() < 0) fail_reading(path_, errno);
}

std::string_view LineReader::next() {
  ++number_;
  size_t searched = 0;  // bytes of the line
  while (true) {
    const size_t newline = buffer_.find('\n', at_ + searched);
    const bool ends = newline != std::string::npos;
    const size_t length = (ends ? newline + 1 : buffer_.size()) - at_;
    if (length > max_line_bytes_) {
      throw UserError(path_ + ":" + std::to_string(number_) + ": a line must be no longer than " +
                      std::to_string(max_line_bytes_) + " bytes");
    }
    if (!ends) {
      buffer_.erase(0, at_);
      at_ = 0;
      searched = length;
      if (fill()) continue;
    }
    const std::string_view line = std::string_view(buffer_).substr(at_, length);
    at_ += length;
    return line;
  }
}

bool LineReader::fill() {
  const size_t filled = buffer_.size();
  buffer_.resize(filled + kLineChunkBytes);
  ssize_t count = 0;
  do {
    count = read(file_.get(), buffer_.data() + filled, kLineChunkBytes);
  } while (count < 0 && errno == EINTR);
  const int error = errno;
  buffer_.resize(filled + static_cast<size_t>(std::max<ssize_t>(count, 0)));
  if (count < 0) fail_reading(path_, error);
  return count > 0;
}

}  // namespace qkvlab

#include "base/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/utf8.hpp"

namespace qkvlab {

namespace {

constexpr size_t kChunkBytes = size_t{1} << 18;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

[[noreturn]] void fail_size(const std::string& path, int64_t max_bytes) {
  throw UserError(path + ": must be no larger than " + std::to_string(max_bytes) + " bytes");
}

/// All bytes up to the end. What is larger is refused: a file at once, a pipe once that shows.
std::string read_bytes(const std::string& path, int64_t max_bytes) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (file.get() < 0) fail_reading(path, errno);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) fail_reading(path, errno);
  if (S_ISDIR(status.st_mode)) throw UserError(path + ": is a folder, must be a text file");

  if (status.st_size > max_bytes) fail_size(path, max_bytes);

  const size_t limit = static_cast<size_t>(max_bytes) + 1;
  // Of a small file one byte more than there should be; of a pipe no size is known.
  const size_t chunk = status.st_size > 0
                           ? std::min(kChunkBytes, static_cast<size_t>(status.st_size) + 1)
                           : kChunkBytes;
  std::string bytes;
  // With room for a last chunk that finds nothing more, for which a large text would be copied.
  if (status.st_size > 0) {
    bytes.reserve(std::min(limit, static_cast<size_t>(status.st_size) + kChunkBytes));
  }
  while (bytes.size() < limit) {
    const size_t filled = bytes.size();
    bytes.resize(std::min(limit, filled + chunk));
    const ssize_t count = read(file.get(), bytes.data() + filled, bytes.size() - filled);
    const int error = errno;
    bytes.resize(filled + static_cast<size_t>(std::max<ssize_t>(count, 0)));
    if (count == 0) break;
    if (count < 0 && error != EINTR) fail_reading(path, error);
  }
  if (bytes.size() == limit) fail_size(path, max_bytes);
  return bytes;
}

[[noreturn]] void fail_at_byte(const std::string& path, std::string_view text, size_t at,
                               const std::string& complaint) {
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n');
  throw UserError(path + ":" + std::to_string(line) + ": " + complaint);
}

bool has_byte_order_mark(std::string_view text) {
  return text.substr(0, kByteOrderMark.size()) == kByteOrderMark;
}

/// Returns `text` if it is text.
std::string checked_text(const std::string& path, std::string text) {
  if (const auto at = first_invalid_utf8(text)) {
    std::array<char, 8> byte{};
    std::snprintf(byte.data(), byte.size(), "0x%02X", static_cast<unsigned char>(text[*at]));
    fail_at_byte(path, text, *at, std::string("must be UTF-8 text, holds the byte ") + byte.data());
  }
  if (const size_t at = text.find('\0'); at != std::string::npos) {
    fail_at_byte(path, text, at, "must be text, holds a NUL byte");
  }
  return text;
}

}  // namespace

std::string read_text_file(const std::string& path, int64_t max_bytes) {
  std::string text = read_bytes(path, max_bytes);
  if (has_byte_order_mark(text)) {
    fail_at_byte(path, text, 0, "must not start with a byte-order mark; save it as plain UTF-8");
  }
  return checked_text(path, std::move(text));
}

std::string read_table_file(const std::string& path, int64_t max_bytes) {
  std::string text = read_bytes(path, max_bytes);
  if (has_byte_order_mark(text)) text.erase(0, kByteOrderMark.size());
  return checked_text(path, std::move(text));
}

void fail_reading(const std::string& path, int error) {
  throw UserError(path + ": cannot be read: " + std::generic_category().message(error));
}

}  // namespace qkvlab

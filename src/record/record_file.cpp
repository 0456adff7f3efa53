#include "record/record_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/text_file.hpp"
#include "record/record_lines.hpp"

namespace qkvlab {

namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr int64_t kChunkBytes = int64_t{1} << 16;
constexpr mode_t kNewFileMode = 0666;  // less the umask

/// The bytes [begin, end) of a file; fewer where it ends before.
std::string bytes_between(const Descriptor& file, const std::string& path, int64_t begin,
                          int64_t end) {
  std::string bytes(static_cast<size_t>(end - begin), '\0');
  const ssize_t count = pread(file.get(), bytes.data(), bytes.size(), begin);
  if (count < 0) fail_reading(path, errno);
  bytes.resize(static_cast<size_t>(count));
  return bytes;
}

/// Where the last whole line of a file of `size` bytes ends.
int64_t end_of_lines(const Descriptor& file, const std::string& path, int64_t size) {
  for (int64_t end = size; end > 0;) {
    const int64_t begin = std::max<int64_t>(0, end - kChunkBytes);
    const size_t newline = bytes_between(file, path, begin, end).rfind('\n');
    if (newline != std::string::npos) return begin + static_cast<int64_t>(newline) + 1;
    end = begin;
  }
  return 0;
}

/// Throws unless a line ends after the first `length` bytes of a file of `size` bytes.
void check_length(const Descriptor& file, const std::string& path, int64_t size, int64_t length) {
  require(length >= 0, "a file's length is not negative");
  const std::string cannot =
      path + ": cannot be cut back to " + std::to_string(length) + " bytes: ";
  if (length > size) throw UserError(cannot + "it has only " + std::to_string(size));
  if (length > 0 && bytes_between(file, path, length - 1, length) != "\n") {
    throw UserError(cannot + "no line ends there");
  }
}

}  // namespace

RecordFile::RecordFile(std::string path, Free)
    : path_(std::move(path)),
      file_(open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY | O_CREAT, kNewFileMode)) {
  if (file_.get() < 0) fail_creating(path_, errno);
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) fail_creating(path_, errno);
  if (!S_ISREG(status.st_mode)) throw UserError(path_ + ": must be a regular file");
}

RecordFile::RecordFile(std::string path) : RecordFile(std::move(path), Free{}) {
  if (!lock()) throw UserError(path_ + ": is being written by another run");
  begin_after_last_line();
}

std::unique_ptr<RecordFile> RecordFile::open_if_free(const std::string& path) {
  std::unique_ptr<RecordFile> file(new RecordFile(path, Free{}));
  if (!file->lock()) return nullptr;
  file->begin_after_last_line();
  return file;
}

bool RecordFile::lock() {
  if (flock(file_.get(), LOCK_EX | LOCK_NB) == 0) return true;
  if (errno != EWOULDBLOCK) fail_creating(path_, errno);
  return false;
}

void RecordFile::begin_after_last_line() {
  // Only now: until the lock was taken another process may have written.
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) fail_creating(path_, errno);
  written_ = status.st_size;
  cut_back(end_of_lines(file_, path_, status.st_size));
}

void RecordFile::cut_back(int64_t length) {
  require(lines_.empty(), "a file of records is cut back before anything is written");
  check_length(file_, path_, written_, length);
  if (length < written_ && ftruncate(file_.get(), length) != 0) fail_creating(path_, errno);
  if (lseek(file_.get(), length, SEEK_SET) < 0) fail_creating(path_, errno);
  written_ = length;
}

RecordFile::~RecordFile() { write_lines(); }

void RecordFile::emit(const Record& record) {
  const size_t before = lines_.size();
  try {
    append_record(lines_, record);
  } catch (...) {  // no piece of it must be left
    lines_.resize(before);
    throw;
  }
  if (lines_.size() >= kBufferBytes) flush();
}

void RecordFile::flush() {
  if (const int error = write_lines(); error != 0) fail_writing(path_, error);
}

void RecordFile::sync() {
  flush();
  if (fdatasync(file_.get()) != 0) fail_writing(path_, errno);
  if (const int error = sync_folder_of(path_); error != 0) fail_writing(path_, error);
}

int64_t RecordFile::length() const { return written_ + static_cast<int64_t>(lines_.size()); }

/// Returns 0, or the errno of what failed.
int RecordFile::write_lines() {
  const int error = write_all(file_.get(), lines_);
  if (error == 0) {
    written_ += static_cast<int64_t>(lines_.size());
    lines_.clear();
  } else if (ftruncate(file_.get(), written_) != 0 || lseek(file_.get(), written_, SEEK_SET) < 0) {
    return errno;
  }
  return error;
}

}  // namespace qkvlab

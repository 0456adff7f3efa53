#include "record/record_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file_lock.hpp"
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
  const LockResult result = lock_file(file_, path_, LockWait::kNot);
  is_locked_ = result == LockResult::kLocked;
  return result != LockResult::kBusy;
}

void RecordFile::begin_after_last_line() {
  // Only now: until the lock was taken another process may have written.
  struct stat status {};
  if (fstat(file_.get(), &status) != 0) fail_creating(path_, errno);
  written_ = status.st_size;
  cut_back(end_of_lines(file_, path_, status.st_size));
}

std::string RecordFile::mismatch(int64_t length, const std::string& digest) {
  const std::lock_guard<std::mutex> lock(mutex_);
  require(lines_.empty(), "a file of records is compared before anything is written");
  if (length > written_) {
    return "has only " + std::to_string(written_) + " of the " + std::to_string(length) +
           " bytes that were saved";
  }
  hash_to(length);
  return hash_.hex() == digest
             ? ""
             : "its first " + std::to_string(length) + " bytes are not those that were saved";
}

void RecordFile::cut_back(int64_t length) {
  const std::lock_guard<std::mutex> lock(mutex_);
  require(lines_.empty(), "a file of records is cut back before anything is written");
  require(length >= 0 && length <= written_, "a file of records is cut back, not made longer");
  if (length < written_ && ftruncate(file_.get(), length) != 0) fail_writing(path_, errno);
  written_ = length;
}

RecordFile::~RecordFile() { write_lines(); }

void RecordFile::emit(const Record& record) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const size_t before = lines_.size();
  try {
    append_record(lines_, record);
  } catch (...) {  // no piece of it must be left
    lines_.resize(before);
    throw;
  }
  if (lines_.size() >= kBufferBytes) flush_lines();
}

void RecordFile::flush() {
  const std::lock_guard<std::mutex> lock(mutex_);
  flush_lines();
}

void RecordFile::try_flush() {
  const std::lock_guard<std::mutex> lock(mutex_);
  write_lines();
}

void RecordFile::sync() {
  flush();
  if (fdatasync(file_.get()) != 0) fail_writing(path_, errno);
  if (const int error = sync_folder_of(path_); error != 0) fail_writing(path_, error);
}

int64_t RecordFile::length() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return written_ + static_cast<int64_t>(lines_.size());
}

std::string RecordFile::digest() {
  const std::lock_guard<std::mutex> lock(mutex_);
  require(lines_.empty(), "a digest is that of what is written");
  hash_to(written_);
  return hash_.hex();
}

void RecordFile::flush_lines() {
  if (const int error = write_lines(); error != 0) fail_writing(path_, error);
}

/// Returns 0, or the errno of what failed.
int RecordFile::write_lines() {
  // Written where the whole lines end, it covers what an earlier failure may have left there.
  const int error = write_all_at(file_.get(), lines_, written_);
  if (error != 0) {
    // Where this fails too, the next flush() or opening the file again sees to it.
    const int ignored = ftruncate(file_.get(), written_);
    static_cast<void>(ignored);
    return error;
  }
  if (hashed_ == written_) {
    hash_.update(lines_);
    hashed_ += static_cast<int64_t>(lines_.size());
  }
  written_ += static_cast<int64_t>(lines_.size());
  lines_.clear();
  return 0;
}

/// Brings the digest to the first `length` bytes of the file, reading those that it lacks.
void RecordFile::hash_to(int64_t length) {
  if (hashed_ > length) {
    hash_ = Xxh3Stream();
    hashed_ = 0;
  }
  while (hashed_ < length) {
    const std::string bytes =
        bytes_between(file_, path_, hashed_, std::min(length, hashed_ + kChunkBytes));
    if (bytes.empty()) throw UserError(path_ + ": was cut while it was read", ExitCode::kFailed);
    hash_.update(bytes);
    hashed_ += static_cast<int64_t>(bytes.size());
  }
}

}  // namespace qkvlab

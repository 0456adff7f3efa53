#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/descriptor.hpp"
#include "record/sink.hpp"

namespace qkvlab {

/// A file of records that only grows, one line each. Lines are gathered and written whole, so that
/// even after SIGKILL at most the last line is cut, which opening the file again removes. While it
/// is open nobody else can open it as a RecordFile (flock).
///
/// Every failure throws UserError naming `path` and the reason: with exit code 2 where the file
/// cannot be opened, 1 where writing it fails (a full disk). After a failed write the file ends
/// where it ended before, with a whole line; what could not be written is tried again by the next
/// flush().
class RecordFile : public RecordSink {
 public:
  /// Opens the file after its last whole line, or creates it.
  explicit RecordFile(std::string path);
  /// The same; null where somebody else has it open.
  static std::unique_ptr<RecordFile> open_if_free(const std::string& path);
  /// Writes what emit() left, but cannot tell when that fails: call flush() before.
  ~RecordFile() override;
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// Cuts the file back to `length` bytes, that of an earlier length(), at which a line must end.
  void cut_back(int64_t length);

  void emit(const Record& record) override;
  /// Hands all lines to the operating system.
  void flush();
  /// flush(), and returns once a power failure cannot take them back.
  void sync();
  /// The bytes of all lines so far: the file's length after flush().
  int64_t length() const;

 private:
  struct Free {};  // the constructor below leaves locking to its caller
  RecordFile(std::string path, Free);
  /// Whether the lock was free.
  bool lock();
  void begin_after_last_line();
  int write_lines();

  std::string path_;
  Descriptor file_;
  int64_t written_ = 0;  // bytes of the file, all of them whole lines
  std::string lines_;    // not written yet
};

}  // namespace qkvlab

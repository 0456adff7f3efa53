#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/descriptor.hpp"
#include "base/hash.hpp"
#include "record/sink.hpp"

namespace qkvlab {

/// A file of records that only grows, one line each. Lines are gathered and written whole, so that
/// even after SIGKILL at most the last line is cut, which opening the file again removes. While it
/// is open nobody else can open it as a RecordFile (flock), where its file system has locks.
/// Several threads may use it.
///
/// Every failure throws UserError naming `path` and the reason: with exit code 2 where the file
/// cannot be opened or locked, 1 where writing it fails (a full disk). After a failed write the
/// file ends where it ended before, with a whole line; what could not be written is tried again by
/// the next flush().
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

  /// Whether others are kept out; false where the file system has no locks.
  bool is_locked() const { return is_locked_; }

  /// Why the file does not begin with `length` bytes whose digest() was `digest`: "has only 7 of
  /// the 9 bytes that were saved". Empty: it does.
  std::string mismatch(int64_t length, const std::string& digest);
  /// Cuts the file back to `length` bytes, that of an earlier length().
  void cut_back(int64_t length);

  void emit(const Record& record) override;
  /// Hands all lines to the operating system.
  void flush();
  /// The same, but what fails is left to the next flush().
  void try_flush();
  /// flush(), and returns once a power failure cannot take them back.
  void sync();
  /// The bytes of all lines so far: the file's length after flush().
  int64_t length() const;
  /// XXH3-64 of all lines so far, which flush() must have written.
  std::string digest();

 private:
  struct Free {};  // the constructor below leaves locking to its caller
  RecordFile(std::string path, Free);
  /// Whether nobody else has the file.
  bool lock();
  void begin_after_last_line();
  int write_lines();
  void flush_lines();
  void hash_to(int64_t length);

  std::string path_;
  Descriptor file_;
  bool is_locked_ = false;
  mutable std::mutex mutex_;  // of all below
  int64_t written_ = 0;       // bytes of the file, all of them whole lines
  std::string lines_;         // not written yet
  Xxh3Stream hash_;           // of the first
  int64_t hashed_ = 0;        // bytes of the file
};

}  // namespace qkvlab

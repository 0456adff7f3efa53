#pragma once

#include <string>
#include <string_view>

namespace qkvlab {

/// A file that appears whole or not at all. It is written without a name (O_TMPFILE) where the file
/// system can, so that not even SIGKILL leaves anything behind (but for the instant in commit()
/// between naming it and renaming it); elsewhere under a temporary name in the same folder.
/// commit() syncs it and renames it over `path` (through a symbolic link to its target). An
/// existing file keeps its owner where root writes it, its group, permissions and access list, but
/// no setuid bit; one that may not be written is refused; its other names (hard links) keep the old
/// content. Without commit() nothing stays. Where `path` is something other than a regular file (a
/// pipe, /dev/null), it is written straight through, a mebibyte or more at a time.
///
/// Every failure throws UserError naming `path` and the reason: with exit code 2 where the file
/// cannot be created, 1 where writing it fails (a full disk).
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void commit();

 private:
  void flush();
  void discard();

  std::string path_;            // as the user gave it, for messages
  std::string target_;          // with symbolic links resolved
  std::string temporary_name_;  // empty while the file has no name
  std::string buffer_;
  int descriptor_ = -1;
  bool straight_through_ = false;
};

/// Removes what AtomicFiles of processes that were killed in commit()'s instant have left in a
/// folder, a minute after. Files of processes that are alive stay.
void remove_abandoned_files(const std::string& folder);

}  // namespace qkvlab

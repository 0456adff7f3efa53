#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace qkvlab {

/// An open file, closed on every way out; a negative number is none.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);  // which closes this one's where the other ends
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

/// write(2), or what a test puts in its place.
using WriteCall = ssize_t (*)(int descriptor, const void* bytes, size_t size);

/// Writes all bytes where the file stands, through interruptions and short writes. Returns 0, or
/// the errno of what stopped it after some of them; EIO where the system takes no more bytes and
/// gives no reason.
int write_all(int descriptor, std::string_view bytes, WriteCall call = ::write);

/// The same at `offset`, wherever the file stands; it stays there.
int write_all_at(int descriptor, std::string_view bytes, int64_t offset);

/// The folder that `path` lies in; "." where it names none.
std::string folder_of(const std::string& path);

/// Makes that `path` was created or renamed outlast a power failure, where the file system has a
/// way to. Returns 0, or the errno of what failed.
int sync_folder_of(const std::string& path);

/// Throws UserError: `path` cannot be written, for the reason of `error`, an errno. The exit code
/// is 2 where the file cannot even be created or opened (but for a full disk), 1 where writing it
/// fails.
[[noreturn]] void fail_creating(const std::string& path, int error);
[[noreturn]] void fail_writing(const std::string& path, int error);

}  // namespace qkvlab

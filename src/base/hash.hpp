#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct XXH3_state_s;  // xxhash.h's

namespace qkvlab {

/// XXH3-64 of the bytes (`xxhsum -H3` prints the same).
uint64_t xxh3_64(std::string_view bytes);

/// The same as 16 hexadecimal digits.
std::string xxh3_64_hex(std::string_view bytes);

/// xxh3_64_hex of bytes that come piece by piece.
class Xxh3Stream {
 public:
  Xxh3Stream();
  void update(std::string_view bytes);
  /// Of all bytes so far; more may follow.
  std::string hex() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

/// The upper half of XXH3-128 of the bytes as 16 hexadecimal digits: the first 16 that `xxhsum -H2`
/// prints. Names runs.
std::string xxh3_128_hex16(std::string_view bytes);

}  // namespace qkvlab

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace qkvlab {

/// XXH3-64 of the bytes (`xxhsum -H3` prints the same).
uint64_t xxh3_64(std::string_view bytes);

/// The same as 16 hexadecimal digits.
std::string xxh3_64_hex(std::string_view bytes);

/// The upper half of XXH3-128 of the bytes as 16 hexadecimal digits: the first 16 that `xxhsum -H2`
/// prints. Names runs.
std::string xxh3_128_hex16(std::string_view bytes);

}  // namespace qkvlab

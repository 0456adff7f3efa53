#include "base/hash.hpp"

#include <xxhash.h>

#include <array>
#include <cinttypes>
#include <cstdio>

namespace qkvlab {

namespace {

std::string hex16(uint64_t value) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016" PRIx64, value);
  return digits.data();
}

}  // namespace

uint64_t xxh3_64(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::string xxh3_64_hex(std::string_view bytes) { return hex16(xxh3_64(bytes)); }

std::string xxh3_128_hex16(std::string_view bytes) {
  return hex16(XXH3_128bits(bytes.data(), bytes.size()).high64);
}

}  // namespace qkvlab

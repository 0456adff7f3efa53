#include "base/hash.hpp"

#include <xxhash.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <new>

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

Xxh3Stream::Xxh3Stream() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(state_.get());
}

void Xxh3Stream::update(std::string_view bytes) {
  XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
}

std::string Xxh3Stream::hex() const { return hex16(XXH3_64bits_digest(state_.get())); }

void Xxh3Stream::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

std::string xxh3_128_hex16(std::string_view bytes) {
  return hex16(XXH3_128bits(bytes.data(), bytes.size()).high64);
}

}  // namespace qkvlab

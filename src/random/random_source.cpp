#include "random/random_source.hpp"

#include <ATen/CPUGeneratorImpl.h>

#include <mutex>

#include "base/hash.hpp"

namespace qkvlab {

RandomSource::RandomSource(RandomScheme scheme, uint64_t seed)
    : scheme_(scheme), seed_(seed), stream_(at::detail::createCPUGenerator(seed)) {}

at::Generator RandomSource::generator(std::string_view purpose) const {
  if (scheme_ == RandomScheme::kTorchStream) return stream_;
  return at::detail::createCPUGenerator(keyed_seed(seed_, purpose));
}

uint64_t RandomSource::draw_seed(std::string_view purpose) const {
  if (scheme_ == RandomScheme::kKeyed) return keyed_seed(seed_, purpose);
  auto* const stream = at::check_generator<at::CPUGeneratorImpl>(stream_);
  const std::lock_guard<std::mutex> lock(stream->mutex_);
  return stream->random64();
}

uint64_t keyed_seed(uint64_t seed, std::string_view purpose) {
  std::string key;
  for (int byte = 0; byte < 8; ++byte) key.push_back(static_cast<char>(seed >> (8 * byte)));
  key.append(purpose);
  return xxh3_64(key);
}

}  // namespace qkvlab

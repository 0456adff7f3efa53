#pragma once

#include <ATen/core/Generator.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "config/random_config.hpp"

namespace qkvlab {

/// Where all random draws of one run come from.
///
/// `keyed`: every purpose ("q_proj.weight", "batch/3", "dropout/7/blocks.0.attention") has a
/// generator of its own, seeded by XXH3-64 of the seed's 8 little-endian bytes followed by the
/// purpose's UTF-8 bytes. So what one purpose draws depends on the seed and its name alone, never
/// on what else is drawn.
///
/// `torch_stream`: one generator for everything, consumed in the order of the draws, as a PyTorch
/// program consumes its global one after `torch.manual_seed(seed)`.
///
/// LibTorch's CPU generator (a Mersenne twister) takes the lower 32 bits of a seed, in PyTorch as
/// here: two purposes start alike with probability 2⁻³². Copies of a `torch_stream` source share
/// its generator.
class RandomSource {
 public:
  RandomSource(RandomScheme scheme, uint64_t seed);

  RandomScheme scheme() const { return scheme_; }

  /// The CPU generator for `purpose`. Under `torch_stream` it is the same one every time.
  at::Generator generator(std::string_view purpose) const;

  /// A seed for draws that LibTorch's generators are not made for (see random/draws.hpp): under
  /// `keyed` that of `purpose`; under `torch_stream` the next 64 bits of the stream.
  uint64_t draw_seed(std::string_view purpose) const;

 private:
  RandomScheme scheme_;
  uint64_t seed_;
  at::Generator stream_;  // of torch_stream
};

/// The seed of the generator for `purpose` under `keyed`.
uint64_t keyed_seed(uint64_t seed, std::string_view purpose);

}  // namespace qkvlab

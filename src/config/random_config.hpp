#pragma once

#include <cstdint>
#include <string>

namespace qkvlab {

enum class RandomScheme { kKeyed, kTorchStream };

/// "keyed" or "torch_stream", as configs and records name the scheme.
std::string random_scheme_name(RandomScheme scheme);

/// Where a run's random draws come from (see random/random_source.hpp).
struct RandomConfig {
  RandomScheme scheme = RandomScheme::kKeyed;
  int64_t seed = 0;
};

}  // namespace qkvlab

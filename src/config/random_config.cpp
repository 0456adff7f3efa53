#include "config/random_config.hpp"

namespace qkvlab {

std::string random_scheme_name(RandomScheme scheme) {
  return scheme == RandomScheme::kKeyed ? "keyed" : "torch_stream";
}

}  // namespace qkvlab

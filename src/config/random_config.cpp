#include "config/random_config.hpp"

#include "config/enum_names.hpp"

namespace qkvlab {

std::string random_scheme_name(RandomScheme scheme) { return enum_name(scheme); }

}  // namespace qkvlab

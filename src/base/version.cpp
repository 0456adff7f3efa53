#include "base/version.hpp"

namespace qkvlab {

const char* const kVersion = QKVLAB_VERSION;  // given to this file alone by CMakeLists.txt

}  // namespace qkvlab

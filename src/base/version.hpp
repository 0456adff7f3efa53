#pragma once

namespace qkvlab {

constexpr const char* kVersion = QKVLAB_VERSION;  // set by CMakeLists.txt

}  // namespace qkvlab

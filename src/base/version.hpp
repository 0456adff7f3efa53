#pragma once

namespace qkvlab {

/// qkvlab's own version: "0.1.0".
extern const char* const kVersion;

}  // namespace qkvlab

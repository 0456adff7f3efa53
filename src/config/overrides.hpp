#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"

namespace qkvlab {

/// Puts overrides (`key.path=value`, where the value is JSON, or else a string) into the document
/// of a config, in their order; each value stands, for complaints, in its override. An object is
/// replaced whole where it is the value itself, else the override adds to it.
///
/// What cannot stand beside an override leaves with it: another `kind` drops the fields of the old
/// one (so overrides of a `kind` come before all others, wherever they are written), and one of
/// `steps` and `epochs`, `mode` and `plan`, `ratio` and `hidden`, `warmup_steps` and
/// `warmup_fraction` drops the other that the file gives. `defaults` is the document of the default
/// config, which says what kind an object without one is.
///
/// Throws UserError where an override is not of that form.
void apply_overrides(JsonValue& document, const std::vector<std::string>& overrides,
                     const JsonValue& defaults);

}  // namespace qkvlab

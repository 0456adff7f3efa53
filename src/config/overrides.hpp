#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"

namespace qkvlab {

/// Another value of a field of a config.
struct Override {
  std::vector<std::string> path;
  JsonValue document;  // objects of one member around the value, as the path says
};

/// The steps of a dotted path; "a..b" has an empty one.
std::vector<std::string> split_path(const std::string& path);

/// Reads `key.path=value`, where the value is JSON, or else a string. For complaints it stands in
/// the text itself, behind `who`. Throws UserError where the text is not of that form.
Override parse_override(const std::string& text, const std::string& who = "");

/// The override of the field at a dotted path by a value, which for complaints stands where it was
/// read.
Override override_of(const std::string& path, const JsonValue& value);

/// Puts overrides into the document of a config, in their order. An object is replaced whole where
/// it is the value itself, else the override adds to it.
///
/// What cannot stand beside an override leaves with it: another `kind` drops the fields of the old
/// one (so overrides of a `kind` come before all others, wherever they are written), and one of
/// `steps` and `epochs`, `mode` and `plan`, `ratio` and `hidden`, `warmup_steps` and
/// `warmup_fraction` drops the other that the document gives. `defaults` is the document of the
/// default config, which says what kind an object without one is.
void apply_overrides(JsonValue& document, std::vector<Override> changes, const JsonValue& defaults);

/// The same of overrides as they are typed.
void apply_overrides(JsonValue& document, const std::vector<std::string>& overrides,
                     const JsonValue& defaults);

}  // namespace qkvlab

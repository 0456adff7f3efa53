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
/// the text itself, behind `who`. Below `ablation.grid` and below a variant of `ablation.variants`
/// all that follows is one key; `variants` are those that the config has, whose names may hold dots
/// too: of another name all is part that does not begin with a section of configs. Throws UserError
/// where the text is not of that form.
Override parse_override(const std::string& text, const std::string& who = "",
                        const std::vector<std::string>& variants = {});

/// The override of the field at a dotted path by a value, which for complaints stands where it was
/// read.
Override override_of(const std::string& path, const JsonValue& value);

/// Whether of two fields, both given, one takes the place of the other: `steps` and `epochs`,
/// `mode` and `plan`, `ratio` and `hidden`, `warmup_steps` and `warmup_fraction`, of the same
/// object.
bool are_alternatives(const std::string& path, const std::string& other);

/// Puts overrides into the document of a config, in their order: the last word counts. An object is
/// replaced whole where it is the value itself, else the override adds to it; a list of modes that
/// is to be added to becomes an object of them.
///
/// What cannot stand beside an override leaves with it: the alternative of its field, and with
/// another `kind` all that the document or earlier overrides say of the old one. What earlier
/// overrides said without saying a kind stays. `defaults` is the document of the default config,
/// which says what kind an object without one is.
void apply_overrides(JsonValue& document, std::vector<Override> changes, const JsonValue& defaults);

/// The same of overrides as they are typed.
void apply_overrides(JsonValue& document, const std::vector<std::string>& overrides,
                     const JsonValue& defaults);

}  // namespace qkvlab

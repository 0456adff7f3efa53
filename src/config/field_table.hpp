#pragma once

#include <string>

namespace qkvlab {

/// The fields of a config file as Markdown, from their declarations: a section of each part, with
/// key, default, what is allowed and what it is.
std::string field_table();

}  // namespace qkvlab

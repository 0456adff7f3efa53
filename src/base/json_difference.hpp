#pragma once

#include <optional>
#include <string>

#include "base/json.hpp"

namespace qkvlab {

/// The first difference of two JSON values in the order of the left one's members, which then are
/// those that only the right one has: "model.tie_head is true there, false here", where
/// `left_place` is "there" and `right_place` "here". Numbers are equal by value, objects whatever
/// the order of their members. Nothing where they are equal.
std::optional<std::string> first_difference(const JsonValue& left, const JsonValue& right,
                                            const std::string& left_place,
                                            const std::string& right_place);

}  // namespace qkvlab

#include "config/field_rules.hpp"

#include <cmath>

#include "base/number_text.hpp"

namespace qkvlab {

std::string number_wanted(const NumberRange& range) {
  std::string wanted = "a number";
  const char* joint = " ";
  const auto add = [&](const char* relation, double bound) {
    wanted += joint;
    wanted += relation;
    append_number(wanted, bound);
    joint = " and ";
  };
  if (std::isfinite(range.low)) add(range.low_open ? "above " : "of at least ", range.low);
  if (std::isfinite(range.high)) add(range.high_open ? "below " : "of at most ", range.high);
  return wanted;
}

}  // namespace qkvlab

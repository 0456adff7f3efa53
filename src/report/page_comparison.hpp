#pragma once

#include <string>

#include "report/page_variants.hpp"
#include "statistics/comparison.hpp"

namespace qkvlab {

/// A comparison in words and tables: what differs by how much; every variant; the differences to
/// the baseline. Each number is a <data> element with its exact value, the JSON's.
std::string comparison_html(const Comparison& comparison, const PageVariants& variants);

}  // namespace qkvlab

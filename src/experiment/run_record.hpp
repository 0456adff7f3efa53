#pragma once

#include <string>
#include <vector>

#include "layers/named_values.hpp"
#include "record/records.hpp"

namespace qkvlab {

/// The `run` record of a model before training: its parameters counted (as `attention` those of the
/// projections, the output's included), the digests of their values. The caller says whose run it
/// is, and on which machine.
RunRecord run_record(const std::vector<NamedValue>& initial);

}  // namespace qkvlab

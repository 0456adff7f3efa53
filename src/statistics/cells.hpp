#pragma once

#include <string>
#include <vector>

#include "statistics/observations.hpp"
#include "statistics/run_fields.hpp"

namespace qkvlab {

/// An observation of a run, or of one part of it, before it is known which cell it is in.
struct Candidate {
  Observation observation;
  Parts parts;  // what may tell it apart from others of its variant and seed
};

/// Names the cells of observations by those parts in which some of one variant, seed and group
/// differ. `warnings` tells which other parts differ between variants: they go with the variant.
void name_cells(std::vector<Candidate>& candidates, const ObservationChoice& choice,
                std::vector<std::string>& warnings);

}  // namespace qkvlab

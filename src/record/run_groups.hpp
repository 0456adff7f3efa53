#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/ablation_cells.hpp"

namespace qkvlab {

/// One run of a variant.
struct SeedRun {
  std::string run;  // its id
  int64_t seed = 0;
};

/// Runs of one variant that are trained together, as one stacked model, and share a file of records
/// and a checkpoint: the unit of work, of retry and of resuming. Named after its first run.
struct RunGroup {
  std::string variant;
  std::vector<SeedRun> runs;
  Cell cell = {};  // of the grid, which the variant stands in

  const std::string& name() const { return runs.front().run; }
};

/// Deals runs into groups of at most `replicas`, in order, their sizes as equal as can be.
std::vector<RunGroup> divide_into_groups(const std::string& variant,
                                         const std::vector<SeedRun>& runs, int64_t replicas);

}  // namespace qkvlab

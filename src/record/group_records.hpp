#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/records.hpp"
#include "record/run_groups.hpp"

namespace qkvlab {

/// What a file of records says of how the runs of a group stand.
struct GroupRecords {
  struct Run {
    std::optional<EndRecord> end;               // completed or diverged: one that is final
    std::vector<EvaluationRecord> evaluations;  // the latest, one for each split
  };
  std::vector<Run> runs;   // as the group lists them
  int64_t ended_runs = 0;  // of them
  std::string damage;      // the first line that no writer leaves so; empty: there is none

  /// Every run has its final `end`: nothing is left to do, and this is all the proof there is. What
  /// an interruption leaves of a group lacks that of one run at least.
  bool has_ended() const { return ended_runs == static_cast<int64_t>(runs.size()); }
};

/// Reads a group's file; nothing where there is none. Throws UserError where it cannot be read.
std::optional<GroupRecords> read_group_records(const std::string& path, const RunGroup& group);

}  // namespace qkvlab

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/recorded_runs.hpp"

namespace qkvlab {

/// How a run came out, for one metric.
enum class Outcome {
  kFinished,    // it has a value
  kDiverged,    // counts as worse than every value
  kNotReached,  // it never came to the threshold that was asked for; likewise
  kUnfinished,  // interrupted, failed or running: it says nothing yet
};

/// The value of a metric of one run, or of one part of it (a head).
struct Observation {
  std::string variant;
  int64_t seed = 0;
  std::string cell;   // what else tells observations apart ("task=SORT n_head=2"); often empty
  std::string group;  // the table that it belongs to, where there is one for each value of a field
  Outcome outcome = Outcome::kFinished;
  double value = 0;                  // where it finished
  std::string place;                 // "a.csv:7"
  const RecordedRun* run = nullptr;  // where it is of records
};

}  // namespace qkvlab

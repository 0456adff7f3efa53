#pragma once

#include <string>
#include <utility>
#include <vector>

#include "record/recorded_runs.hpp"
#include "statistics/observation.hpp"

namespace qkvlab {

/// A completed run with a test loss, as records would give it.
inline RecordedRun recorded_run(const std::string& variant, int64_t seed, float test_loss) {
  RecordedRun run;
  run.begin.run = variant + std::to_string(seed);
  run.begin.experiment = "sentiment";
  run.begin.variant = variant;
  run.begin.seed = seed;
  run.begin.config = R"({"name": "sentiment", "model": {"d_model": 8, "kind": "transformer"}})";
  run.begin.initial_digests = {{"embedding.weight", "e" + std::to_string(seed)}};
  run.series["test.loss"] = {{10}, {test_loss}};
  run.end.emplace();
  run.end->status = "completed";
  run.end->steps = 10;
  run.end->batch_digest = "b" + std::to_string(seed);
  run.file = "r.jsonl";
  run.line = seed + 1;
  return run;
}

/// A recording of runs, with the names of their series.
inline Recording recording_of(std::vector<RecordedRun> runs) {
  Recording recording;
  recording.runs = std::move(runs);
  for (const RecordedRun& run : recording.runs) {
    for (const auto& [name, series] : run.series) recording.metrics.insert(name);
  }
  return recording;
}

/// Finished observations of one variant, one for each seed from 0 on.
inline std::vector<Observation> observations_of(const std::string& variant,
                                                const std::vector<double>& values) {
  std::vector<Observation> observations;
  for (const double value : values) {
    Observation observation;
    observation.variant = variant;
    observation.seed = static_cast<int64_t>(observations.size());
    observation.value = value;
    observation.place = variant + ".csv:" + std::to_string(observations.size() + 2);
    observations.push_back(observation);
  }
  return observations;
}

inline std::vector<Observation> operator+(std::vector<Observation> left,
                                          const std::vector<Observation>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

}  // namespace qkvlab

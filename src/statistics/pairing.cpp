#include "statistics/pairing.hpp"

#include <algorithm>
#include <string>

#include "base/json.hpp"
#include "base/json_difference.hpp"
#include "base/json_text.hpp"

namespace qkvlab {

namespace {

/// Whether both runs took the same steps, so that their batches can be compared.
bool took_equal_steps(const RecordedRun& left, const RecordedRun& right) {
  return left.end && right.end && left.end->status == "completed" &&
         right.end->status == "completed" && left.end->steps == right.end->steps;
}

/// The fields that decide what a run is trained on, and in which order, as one object of JSON.
std::string batch_fields(const RecordedRun& run) {
  const JsonValue config = parse_json(run.begin.config, run.file);
  std::string text = "{";
  for (const char* path : {"task", "training.batch_size", "training.accumulate", "random.scheme"}) {
    const JsonValue* value = find_path(config, path);
    if (value == nullptr) continue;
    text += (text.size() > 1 ? ", \"" : "\"") + std::string(path) + "\": " + json_text(*value);
  }
  return text + "}";
}

/// Why two runs of one seed were trained on other batches; empty where nothing says so.
std::string why_other_batches(const RecordedRun& run, const RecordedRun& baseline,
                              const std::string& of_seed) {
  if (took_equal_steps(run, baseline)) {
    if (run.end->batch_digest == baseline.end->batch_digest) return "";
    return "the batches" + of_seed + " differ (by their digests)";
  }
  const auto difference = first_difference(parse_json(batch_fields(run), run.file),
                                           parse_json(batch_fields(baseline), baseline.file),
                                           "in it", "in the baseline");
  return difference ? "the batches differ: " + *difference : "";
}

/// The first parameter that both runs have with other initial values; empty where there is none.
std::string first_other_start(const RunRecord& left, const RunRecord& right) {
  for (const auto& [path, digest] : left.initial_digests) {
    const auto found = std::find_if(right.initial_digests.begin(), right.initial_digests.end(),
                                    [&path = path](const auto& one) { return one.first == path; });
    if (found != right.initial_digests.end() && found->second != digest) return path;
  }
  return "";
}

}  // namespace

Pairing pairing_of(const SeedCells& variant, const SeedCells& baseline) {
  Pairing pairing;
  bool share_a_seed = false;
  for (const auto& [seed, cells] : variant) {
    const auto same_seed = baseline.find(seed);
    if (same_seed == baseline.end()) continue;
    for (const auto& [cell, observation] : cells) {
      const auto same_cell = same_seed->second.find(cell);
      if (same_cell == same_seed->second.end()) continue;
      share_a_seed = true;
      const RecordedRun* left = observation->run;
      const RecordedRun* right = same_cell->second->run;
      if (left == nullptr || right == nullptr) continue;
      const std::string of_seed = " of seed " + std::to_string(seed);
      pairing.why_not = why_other_batches(*left, *right, of_seed);
      if (!pairing.why_not.empty()) return pairing;
      const std::string path = first_other_start(left->begin, right->begin);
      if (!path.empty() && pairing.warning.empty()) {
        pairing.warning = "the initial values of '" + path + "'" + of_seed +
                          " differ from the baseline's: the pairs share batches alone";
      }
    }
  }
  if (!share_a_seed) pairing.why_not = "no seed is in both";
  return pairing;
}

}  // namespace qkvlab

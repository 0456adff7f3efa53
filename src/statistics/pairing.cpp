#include "statistics/pairing.hpp"

#include <algorithm>

namespace qkvlab {

namespace {

/// Whether both runs took the same steps, so that their batches can be compared.
bool took_equal_steps(const RecordedRun& left, const RecordedRun& right) {
  return left.end && right.end && left.end->status == "completed" &&
         right.end->status == "completed" && left.end->steps == right.end->steps;
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
      if (took_equal_steps(*left, *right) && left->end->batch_digest != right->end->batch_digest) {
        pairing.why_not = "the batches" + of_seed + " differ (by their digests)";
        return pairing;
      }
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

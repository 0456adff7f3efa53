#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "cli/command_line.hpp"
#include "record/recorded_runs.hpp"

namespace qkvlab {

/// The attention maps that are to be shown, picked out while records are read: few of many are
/// kept. They are those of the first run of each variant (of --seed where it is given), of one
/// sample, of the steps that --step names, by default the first and the last.
class ShownMaps {
 public:
  explicit ShownMaps(const ShowCommand& command);

  /// Takes the next map of a recording, or passes it over.
  void see(const RecordedRun& run, const AttentionRecord& map);

  /// What was recorded of the variants and seeds that are shown.
  struct Seen {
    std::set<int64_t> steps, layers, heads, samples, seeds;
  };
  const Seen& seen() const { return seen_; }

  /// The maps of a run by layer and head, each in the order of steps; none where it has none.
  std::vector<std::vector<AttentionRecord>> of_run(const RecordedRun& run) const;

  /// Whether maps that were chosen were too many to be held.
  bool left_some_out() const { return left_some_out_; }

  /// Throws UserError where maps are recorded, but none of what an option asks for.
  void check() const;

 private:
  using Key = std::tuple<std::string, int64_t, int64_t>;  // run, layer, head

  bool is_chosen(const RecordedRun& run, const AttentionRecord& map);
  bool has_room_for(const AttentionRecord& map);

  const ShowCommand& command_;
  int64_t sample_;
  std::set<int64_t> numbers_;  // of --step
  bool first_ = false, last_ = false, all_ = false;
  std::map<std::pair<std::string, std::string>, std::string> runs_;  // of origin and variant
  Seen seen_;
  std::set<Key> begun_;
  std::map<Key, std::vector<AttentionRecord>> kept_;
  std::map<Key, AttentionRecord> latest_;  // while --step last asks for it, where it is not kept
  int64_t weights_ = 0;                    // that are held
  bool left_some_out_ = false;
};

}  // namespace qkvlab

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "record/records.hpp"

namespace qkvlab {

/// A number of a run over its steps, in their order.
struct Series {
  std::vector<int64_t> steps;
  std::vector<float> values;  // one per step; not finite where the run diverged
};

/// What records say of one run.
///
/// Its series are named after where they were recorded:
///   "<split>.<metric>"             evaluations: test.loss, train.accuracy
///   "step.loss|lr|grad_norm"       training steps
///   "gradients.<parameter path>"   L2 norms: gradients.blocks.0.attention.q_proj.weight
///   "attention.entropy.<layer>.<head>", "attention.diagonal.<layer>.<head>"
///                                  of attention maps: the mean over queries and samples
struct RecordedRun {
  RunRecord begin;               // what was run
  std::optional<EndRecord> end;  // nothing while it runs, and where it was killed
  std::map<std::string, Series> series;
  std::string folder;  // the experiment's; empty where a file was read alone
  std::string file;    // and the line in it where the run begins
  int64_t line = 0;
};

/// What is at some paths.
struct Recording {
  std::vector<RecordedRun> runs;   // in the order of paths, of groups in experiment.json, of lines
  std::set<std::string> metrics;   // the names of all series, those that nobody wanted too
  std::string baseline;            // of the first experiment.json that names one
  std::vector<std::string> files;  // of the experiments, checkpoints too: not to be written over
  std::vector<std::string> left_out;  // plain sentences: what could not be read, and where
};

/// What is wanted of it.
struct ReadingChoice {
  /// Which series are kept, by name; before attention maps are read it is asked of
  /// "attention.entropy" and "attention.diagonal". Nothing: all.
  std::function<bool(const std::string& metric)> wants_series;
  /// Is shown every attention map with the run that it belongs to, in the order of lines; both are
  /// gone after the call. Nothing: maps are read only for series that are wanted.
  std::function<void(const RecordedRun& run, const AttentionRecord& map)> visit_attention;
};

/// Reads experiment folders and record files, of runs that ended, were interrupted or are being
/// written just now: what is whole is read, what is not is told of in `left_out`.
///
/// Throws UserError where a path is neither, or cannot be read at all, and where two files hold the
/// same run.
Recording read_recording(const std::vector<std::string>& paths, const ReadingChoice& choice = {});

/// "runs/a/records/2c7d….jsonl:3": where a run begins.
std::string place_of(const RecordedRun& run);

}  // namespace qkvlab

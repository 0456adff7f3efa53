#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/spelling.hpp"
#include "statistics/cells.hpp"
#include "statistics/observations.hpp"
#include "statistics/run_fields.hpp"

namespace qkvlab {

namespace {

/// What a metric is of where only its own name is given: what is held out, or else training.
constexpr const char* kSplits[] = {"test", "validation", "train"};

/// The split of the loss that a table of `ablate` begins with: what is held out, or else training.
std::string default_metric(const Recording& recording) {
  for (const char* split : kSplits) {
    std::string loss = std::string(split) + ".loss";
    if (recording.metrics.count(loss) > 0) return loss;
  }
  return "step.loss";
}

class RunObserver {
 public:
  RunObserver(const Recording& recording, const ObservationChoice& choice)
      : recording_(recording), choice_(choice) {
    observations_.metric = choice.metric;
    std::string& name = observations_.metric.name;
    if (name.empty()) name = default_metric(recording);
    if (recording.metrics.count(name) == 0) {
      for (const char* split : kSplits) {  // "accuracy"
        if (recording.metrics.count(split + ("." + name)) > 0) {
          name = split + ("." + name);
          break;
        }
      }
    }
  }

  Observations observe() {
    check_metric();
    for (const RecordedRun& run : recording_.runs) observe(run);
    add_runs_without_parts();
    warn_of_single_values();
    for (const auto& [variant, runs] : without_metric_) {
      observations_.warnings.push_back(variant + ": " + std::to_string(runs) +
                                       (runs == 1 ? " run recorded no " : " runs recorded no ") +
                                       observations_.metric.name +
                                       (runs == 1 ? " and counts nowhere" : " and count nowhere"));
    }
    name_cells(candidates_, choice_, observations_.warnings);
    for (Candidate& candidate : candidates_) {
      observations_.all.push_back(std::move(candidate.observation));
    }
    return std::move(observations_);
  }

 private:
  void check_metric() const {
    const std::string& name = observations_.metric.name;
    const bool known = std::any_of(recording_.metrics.begin(), recording_.metrics.end(),
                                   [&](const auto& series) { return names_series(name, series); });
    if (!known && !recording_.runs.empty()) {
      const std::vector<std::string> names = metric_names(recording_);
      if (names.empty()) {
        throw UserError(place_of(recording_.runs.front()) +
                        ": no run has recorded a number yet, so there is nothing to compare");
      }
      throw UserError(unknown_name("metric", name, names));
    }
  }

  std::string field(const RecordedRun& run, const std::string& name) const {
    auto value = field_of(run, name);
    if (!value) throw UserError(unknown_name("field", name, field_names(run)));
    return std::move(*value);
  }

  void observe(const RecordedRun& run) {
    const std::string& variant = run.begin.variant;
    Parts parts = parts_of(run.begin.cell);
    parts.insert(parts.begin(), {"experiment", run.begin.experiment});
    Candidate candidate;
    Observation& observation = candidate.observation;
    observation.variant = variant;
    if (choice_.variant_column != "variant") {
      observation.variant = field(run, choice_.variant_column);
      parts.insert(parts.begin(), {"variant", variant});
    }
    observation.seed = run.begin.seed;
    observation.place = place_of(run);
    observation.run = &run;
    candidate.parts = std::move(parts);

    const std::string status = run.end ? run.end->status : "";
    const std::vector<PartOfRun> found = series_of(run, observations_.metric.name);
    if (status == "completed" && !found.empty()) {
      for (const PartOfRun& part : found) add_part(candidate, part.parts, part.series);
      return;
    }
    if (status == "completed") {
      ++without_metric_[observation.variant];
      return;
    }
    observation.outcome = status == "diverged" ? Outcome::kDiverged : Outcome::kUnfinished;
    // All of its parts, as other runs of its variant show them.
    without_parts_.push_back(std::move(candidate));
  }

  void add_part(Candidate candidate, const Parts& parts, const Series* series) {
    candidate.parts.insert(candidate.parts.end(), parts.begin(), parts.end());
    if (series != nullptr) {
      longest_course_ = std::max(longest_course_, series->steps.size());
      const TakenValue taken = taken_value(*candidate.observation.run, *series);
      candidate.observation.outcome = taken.outcome;
      candidate.observation.value = taken.value;
    }
    parts_of_variant_[candidate.observation.variant].insert(parts);
    candidate.observation.group = group_of(candidate);
    candidates_.push_back(std::move(candidate));
  }

  /// The last value of an evaluated metric stands in the record of the run's end too, which is
  /// there whatever became of the evaluation's own line.
  TakenValue taken_value(const RecordedRun& run, const Series& series) const {
    const MetricChoice& metric = observations_.metric;
    if (metric.taken == Taken::kEnd) {
      for (const auto& [name, value] : run.end->metrics) {
        if (name == metric.name) return take({{run.end->steps}, {value}}, metric);
      }
    }
    return take(series, metric);
  }

  /// The value of the field that tables are made by.
  std::string group_of(const Candidate& candidate) const {
    if (choice_.by.empty()) return "";
    for (const auto& [name, value] : candidate.parts) {
      if (name == choice_.by) return value;
    }
    return field(*candidate.observation.run, choice_.by);
  }

  /// A course of one value is none.
  void warn_of_single_values() {
    const MetricChoice& metric = observations_.metric;
    if (metric.taken == Taken::kEnd || longest_course_ != 1) return;
    observations_.warnings.push_back(
        "each run has one value of " + metric.name +
        " alone, at its end: there is no course to take anything from");
  }

  /// Runs without a value have the parts that others of their variant have; where no run of it was
  /// measured, those of any variant.
  void add_runs_without_parts() {
    const auto measured = parts_of_variant_;
    std::set<Parts> all;
    for (const auto& [name, parts] : measured) all.insert(parts.begin(), parts.end());
    if (all.empty()) all.insert(Parts());
    for (const Candidate& candidate : without_parts_) {
      const std::string& variant = candidate.observation.variant;
      const auto own = measured.find(variant);
      if (own == measured.end() && without_metric_.count(variant) > 0) {
        ++without_metric_[variant];
        continue;
      }
      for (const Parts& parts : own == measured.end() ? all : own->second) {
        add_part(candidate, parts, nullptr);
      }
    }
  }

  const Recording& recording_;
  const ObservationChoice& choice_;
  Observations observations_;
  std::vector<Candidate> candidates_, without_parts_;
  std::map<std::string, std::set<Parts>> parts_of_variant_;
  size_t longest_course_ = 0;                      // of all runs, in values
  std::map<std::string, int64_t> without_metric_;  // runs of a variant that have no value
};

}  // namespace

Observations observe_runs(const Recording& recording, const ObservationChoice& choice) {
  return RunObserver(recording, choice).observe();
}

std::vector<std::string> metric_names(const Recording& recording) {
  std::set<std::string> names;
  for (const std::string& series : recording.metrics) names.insert(short_metric_name(series));
  return {names.begin(), names.end()};
}

}  // namespace qkvlab

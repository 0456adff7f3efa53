#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/spelling.hpp"
#include "statistics/observations.hpp"

namespace qkvlab {

namespace {

using Parts = std::vector<std::pair<std::string, std::string>>;

/// "uniform" and {{model.n_layers, 1}, {training.steps, 9}} of "uniform
/// model.n_layers=1,training.steps=9", as the plan of an ablation names a variant in a cell.
std::pair<std::string, Parts> split_variant(const std::string& name) {
  size_t begin = std::string::npos;
  for (const char* section : {" task.", " model.", " training."}) {
    begin = std::min(begin, name.find(section));
  }
  if (begin == std::string::npos) return {name, {}};
  Parts parts;
  for (size_t at = begin + 1; at < name.size();) {
    const size_t comma = std::min(name.find(',', at), name.size());
    const size_t equals = std::min(name.find('=', at), comma);
    parts.emplace_back(name.substr(at, equals - at),
                       equals < comma ? name.substr(equals + 1, comma - equals - 1) : "");
    at = comma + 1;
  }
  return {name.substr(0, begin), parts};
}

/// The paths of a config's fields, but for sections that do not decide what comes out.
void add_paths(const JsonValue& json, const std::string& prefix, std::set<std::string>& paths) {
  static const std::set<std::string> others = {"ablation", "limits", "record", "run"};
  for (const auto& [key, value] : json.members()) {
    if (prefix.empty() && others.count(key) > 0) continue;
    if (value.kind() == JsonValue::Kind::kObject) {
      add_paths(value, prefix + key + ".", paths);
    } else {
      paths.insert(prefix + key);
    }
  }
}

[[noreturn]] void refuse_field(const Recording& recording, const std::string& option,
                               const std::string& name) {
  std::set<std::string> known = {"experiment", "variant", "folder"};
  if (!recording.runs.empty()) {
    const RunRecord& run = recording.runs.front().begin;
    add_paths(parse_json(run.config, "config"), "", known);
  }
  throw UserError(option + ": " + unknown_name("field", name, {known.begin(), known.end()}));
}

/// The split of the loss that a table of `ablate` begins with: what is held out, or else training.
std::string default_metric(const Recording& recording) {
  for (const char* split : {"test", "validation", "train"}) {
    std::string loss = std::string(split) + ".loss";
    if (recording.metrics.count(loss) > 0) return loss;
  }
  return "step.loss";
}

/// One run, or one part of it, before it is known what tells it apart from others.
struct Candidate {
  Observation observation;
  Parts parts;
};

class RunObserver {
 public:
  RunObserver(const Recording& recording, const ObservationChoice& choice)
      : recording_(recording), choice_(choice) {
    observations_.metric = choice.metric;
    if (observations_.metric.name.empty()) observations_.metric.name = default_metric(recording);
  }

  Observations observe() {
    check_metric();
    for (const RecordedRun& run : recording_.runs) observe(run);
    for (const auto& [variant, runs] : without_metric_) {
      observations_.warnings.push_back(variant + ": " + std::to_string(runs) +
                                       (runs == 1 ? " run recorded no " : " runs recorded no ") +
                                       observations_.metric.name +
                                       (runs == 1 ? " and counts nowhere" : " and count nowhere"));
    }
    name_cells();
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
      throw UserError("--metric: " + unknown_name("metric", name, metric_names(recording_)));
    }
  }

  /// Of a field that an option names.
  std::string field(const RecordedRun& run, const std::string& option,
                    const std::string& name) const {
    auto value = field_of(run, name);
    if (!value) refuse_field(recording_, option, name);
    return std::move(*value);
  }

  void observe(const RecordedRun& run) {
    auto [variant, parts] = split_variant(run.begin.variant);
    parts.insert(parts.begin(), {"experiment", run.begin.experiment});
    Candidate candidate;
    Observation& observation = candidate.observation;
    observation.variant = variant;
    if (choice_.variant_column != "variant") {
      observation.variant = field(run, "--variant-column", choice_.variant_column);
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
      const TakenValue taken = take(*series, observations_.metric);
      candidate.observation.outcome = taken.outcome;
      candidate.observation.value = taken.value;
    }
    parts_of_variant_[candidate.observation.variant].insert(parts);
    candidate.observation.group = group_of(candidate);
    candidates_.push_back(std::move(candidate));
  }

  /// The value of the field that tables are made by.
  std::string group_of(const Candidate& candidate) const {
    if (choice_.by.empty()) return "";
    for (const auto& [name, value] : candidate.parts) {
      if (name == choice_.by) return value;
    }
    return field(*candidate.observation.run, "--by", choice_.by);
  }

  /// The parts that runs of a variant have, as far as one was measured; else those that any has.
  static std::set<Parts> parts_of(const std::string& variant,
                                  const std::map<std::string, std::set<Parts>>& measured) {
    const auto own = measured.find(variant);
    if (own != measured.end()) return own->second;
    std::set<Parts> all;
    for (const auto& [name, parts] : measured) all.insert(parts.begin(), parts.end());
    return all.empty() ? std::set<Parts>{{}} : all;
  }

  /// Cells are named by those parts that are not the same everywhere.
  void name_cells() {
    const auto measured = parts_of_variant_;
    for (const Candidate& candidate : without_parts_) {
      for (const Parts& parts : parts_of(candidate.observation.variant, measured)) {
        add_part(candidate, parts, nullptr);
      }
    }
    std::map<std::string, std::set<std::string>> values;
    for (const Candidate& candidate : candidates_) {
      for (const auto& [name, value] : candidate.parts) values[name].insert(value);
    }
    for (Candidate& candidate : candidates_) {
      std::string& cell = candidate.observation.cell;
      for (const auto& [name, value] : candidate.parts) {
        if (name == choice_.by || values[name].size() == 1) continue;
        cell += (cell.empty() ? "" : " ") + name + "=" + value;
      }
    }
  }

  const Recording& recording_;
  const ObservationChoice& choice_;
  Observations observations_;
  std::vector<Candidate> candidates_, without_parts_;
  std::map<std::string, std::set<Parts>> parts_of_variant_;
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

std::optional<std::string> field_of(const RecordedRun& run, const std::string& name) {
  if (name == "experiment") return run.begin.experiment;
  if (name == "variant") return split_variant(run.begin.variant).first;
  if (name == "folder") return run.folder;
  const JsonValue config = parse_json(run.begin.config, run.file);
  const JsonValue* value = &config;
  for (size_t at = 0; at <= name.size();) {
    if (value->kind() != JsonValue::Kind::kObject) return std::nullopt;
    const size_t dot = std::min(name.find('.', at), name.size());
    value = value->find(name.substr(at, dot - at));
    if (value == nullptr) return std::nullopt;
    at = dot + 1;
  }
  return value->kind() == JsonValue::Kind::kString ? value->string() : json_text(*value);
}

}  // namespace qkvlab

#include "record/recorded_runs.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/number_text.hpp"
#include "record/experiment_file.hpp"
#include "record/experiment_folder.hpp"
#include "record/record_stream.hpp"

namespace qkvlab {

namespace {

namespace fs = std::filesystem;

/// Run id -> where it begins.
using Places = std::unordered_map<std::string, std::string>;

/// Adds the records of one file to a recording.
class FileReader {
 public:
  /// `places` holds where each run of the recording begins.
  FileReader(Recording& recording, const ReadingChoice& choice, std::string folder, Places& places)
      : recording_(recording), choice_(choice), folder_(std::move(folder)), places_(places) {}

  void read(const std::string& path) {
    path_ = path;
    const ReadSummary summary = read_records(
        path, [this](Record&& record, int64_t line) { add(std::move(record), line); },
        [this](std::string_view type) { return wants_type(type); });
    tell(summary);
  }

 private:
  bool wants(const std::string& metric) const {
    return !choice_.wants_series || choice_.wants_series(metric);
  }

  bool wants_type(std::string_view type) const {
    if (type == TensorRecord::kType) return false;
    if (type != AttentionRecord::kType) return true;
    recording_.metrics.insert({"attention.entropy", "attention.diagonal"});
    return choice_.visit_attention || wants("attention.entropy") || wants("attention.diagonal");
  }

  void add(Record&& record, int64_t line) {
    line_ = line;
    std::visit([this](auto& one) { add_one(one); }, record);
  }

  /// The run that a record belongs to; null where the file has not begun it.
  RecordedRun* run_of(const std::string& id) {
    const auto found = begun_.find(id);
    if (found != begun_.end()) return &recording_.runs[found->second];
    ++strays_;
    if (first_stray_ == 0) first_stray_ = line_;
    return nullptr;
  }

  /// Appends to a series. The mean over `earlier` + 1 values of one step stands as one value.
  void append(RecordedRun& run, const std::string& metric, int64_t step, float value,
              int64_t earlier = 0) {
    recording_.metrics.insert(metric);
    if (!wants(metric)) return;
    Series& series = run.series[metric];
    if (earlier > 0 && !series.steps.empty() && series.steps.back() == step) {
      series.values.back() += (value - series.values.back()) / static_cast<float>(earlier + 1);
      return;
    }
    series.steps.push_back(step);
    series.values.push_back(value);
  }

  void add_one(RunRecord& record) {
    const auto [place, is_new] = places_.emplace(record.run, path_ + ":" + std::to_string(line_));
    if (!is_new && begun_.count(record.run) == 0) {
      throw UserError(path_ + ":" + std::to_string(line_) + ": run " + record.run +
                      " is recorded twice, first in " + place->second);
    }
    if (!begun_.emplace(record.run, recording_.runs.size()).second) {
      recording_.left_out.push_back(path_ + ":" + std::to_string(line_) + ": run " + record.run +
                                    " begins a second time; that is left out");
      return;
    }
    RecordedRun run;
    run.begin = std::move(record);
    run.folder = folder_;
    run.file = path_;
    run.line = line_;
    recording_.runs.push_back(std::move(run));
  }

  void add_one(const StepRecord& record) {
    RecordedRun* run = run_of(record.run);
    if (run == nullptr) return;
    append(*run, "step.loss", record.step, record.loss);
    append(*run, "step.lr", record.step, static_cast<float>(record.lr));
    append(*run, "step.grad_norm", record.step, record.grad_norm);
  }

  void add_one(const GradientsRecord& record) {
    RecordedRun* run = run_of(record.run);
    if (run == nullptr) return;
    for (const auto& [path, norm] : record.norms) {
      append(*run, "gradients." + path, record.step, norm);
    }
  }

  void add_one(const EvaluationRecord& record) {
    RecordedRun* run = run_of(record.run);
    if (run == nullptr) return;
    append(*run, record.split + ".loss", record.step, record.loss);
    for (const auto& [name, value] : record.metrics) {
      append(*run, record.split + "." + name, record.step, value);
    }
  }

  void add_one(const AttentionRecord& record) {
    RecordedRun* run = run_of(record.run);
    if (run == nullptr) return;
    const std::string place =
        "." + std::to_string(record.layer) + "." + std::to_string(record.head);
    float entropy = 0;
    for (const float of_query : record.entropy) entropy += of_query;
    entropy /= static_cast<float>(std::max<size_t>(record.entropy.size(), 1));
    append(*run, "attention.entropy" + place, record.step, entropy, record.sample);
    append(*run, "attention.diagonal" + place, record.step, record.diagonal, record.sample);
    if (choice_.visit_attention) choice_.visit_attention(*run, record);
  }

  void add_one(const TensorRecord&) {}

  void add_one(EndRecord& record) {
    RecordedRun* run = run_of(record.run);
    if (run != nullptr) run->end = std::move(record);
  }

  void tell(const ReadSummary& summary) {
    constexpr size_t kNamed = 3;
    std::vector<std::string>& left_out = recording_.left_out;
    for (size_t i = 0; i < std::min(kNamed, summary.damaged.size()); ++i) {
      left_out.push_back(summary.damaged[i] + " (this line is left out)");
    }
    const auto others = summary.damaged.size() - std::min(kNamed, summary.damaged.size());
    if (others > 0) {
      left_out.push_back(path_ + ": " + std::to_string(others) +
                         " more lines are damaged and left out");
    }
    if (summary.unknown_types > 0) {
      left_out.push_back(path_ + ": " + counted(summary.unknown_types, "line") +
                         (summary.unknown_types == 1 ? " is of a type" : " are of types") +
                         " that this version does not know");
    }
    if (strays_ > 0) {
      left_out.push_back(
          path_ + ": " + std::to_string(strays_) +
          " lines belong to runs that do not begin in this file, the first is line " +
          std::to_string(first_stray_));
    }
    if (summary.cut_last_line) {
      left_out.push_back(path_ + ": the last line is cut, or being written just now");
    }
  }

  Recording& recording_;
  const ReadingChoice& choice_;
  std::string folder_, path_;
  Places& places_;
  std::unordered_map<std::string, size_t> begun_;  // run id -> its place in the recording
  int64_t line_ = 0;
  int64_t strays_ = 0, first_stray_ = 0;
};

/// What an experiment.json names as baseline; empty where it has no ablation.
std::string baseline_of(const ExperimentFile& file, const std::string& path) {
  const JsonValue config = parse_json(file.config, path);
  const JsonValue* baseline = find_path(config, "ablation.baseline");
  return baseline == nullptr ? "" : baseline->string();
}

void read_folder(const std::string& path, Recording& recording, const ReadingChoice& choice,
                 Places& places) {
  const ExperimentFolder folder(path);
  const ExperimentFile file = read_experiment_file(folder.experiment_file());
  recording.files.push_back(folder.experiment_file());
  for (const char* below : {"records", "checkpoints"}) {
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(fs::path(path) / below, missing)) {
      recording.files.push_back(entry.path().string());
    }
  }
  if (recording.baseline.empty()) {
    recording.baseline = baseline_of(file, folder.experiment_file());
  }
  int64_t missing = 0;
  for (const RunGroup& group : file.groups) {
    const std::string records = folder.records_file(group.name());
    std::error_code error;
    const size_t before = recording.runs.size();
    if (fs::exists(records, error)) FileReader(recording, choice, path, places).read(records);
    missing += static_cast<int64_t>(group.runs.size() + before - recording.runs.size());
  }
  if (missing > 0) {
    recording.left_out.push_back(path + ": " + std::to_string(missing) +
                                 " of its runs have no records yet");
  }
}

}  // namespace

Recording read_recording(const std::vector<std::string>& paths, const ReadingChoice& choice) {
  Recording recording;
  Places places;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      recording.files.push_back(path);
      FileReader(recording, choice, "", places).read(path);
    } else if (fs::exists(ExperimentFolder(path).experiment_file(), error)) {
      read_folder(path, recording, choice, places);
    } else {
      throw UserError(path +
                      ": is not an experiment folder: it has no experiment.json; allowed: "
                      "folders that train and ablate write, and files of records");
    }
  }
  return recording;
}

std::string place_of(const RecordedRun& run) { return run.file + ":" + std::to_string(run.line); }

}  // namespace qkvlab

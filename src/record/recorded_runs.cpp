#include "record/recorded_runs.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/number_text.hpp"
#include "base/paths.hpp"
#include "record/experiment_file.hpp"
#include "record/experiment_folder.hpp"
#include "record/record_stream.hpp"

namespace qkvlab {

namespace {

namespace fs = std::filesystem;

/// Run id -> where it begins.
using Places = std::unordered_map<std::string, std::string>;

constexpr int64_t kNamed = 3;

/// Sentences of one kind, of which the first few are told and the others counted.
class Sentences {
 public:
  void add(const std::function<std::string()>& sentence) {
    if (count_ < kNamed) first_.push_back(sentence());
    ++count_;
  }
  /// `others` says what the rest is: "more lines are damaged and left out".
  void tell(std::vector<std::string>& told, const std::string& path, const char* others) const {
    told.insert(told.end(), first_.begin(), first_.end());
    if (count_ <= kNamed) return;
    told.push_back(path + ": " + std::to_string(count_ - kNamed) + " " + others);
  }

 private:
  std::vector<std::string> first_;
  int64_t count_ = 0;
};

/// A run that a file has begun, and the last step of each kind of record.
struct Begun {
  size_t place = 0;      // in the recording
  bool is_over = false;  // what the file holds of it from here on is left out
  int64_t step = -1, gradients = -1;
  std::map<std::string, int64_t> evaluations;                          // by split
  std::map<std::tuple<int64_t, int64_t, int64_t>, int64_t> attention;  // by layer, head, sample
};

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

  /// The run that a record belongs to; null where it is to be left out.
  Begun* run_of(const std::string& id) {
    const auto found = begun_.find(id);
    if (found != begun_.end()) return found->second.is_over ? nullptr : &found->second;
    ++strays_;
    if (first_stray_ == 0) first_stray_ = line_;
    return nullptr;
  }

  RecordedRun& recorded(const Begun& begun) { return recording_.runs[begun.place]; }

  /// Whether a record's step comes after the `last` one of its kind, which then is this.
  template <typename Record>
  bool is_later(const Record& record, int64_t& last) {
    if (record.step > last) {
      last = record.step;
      return true;
    }
    out_of_order_.add([&] {
      return place() + ": " + Record::kType + " " + std::to_string(record.step) + " of run " +
             record.run +
             (record.step == last ? " comes twice" : " comes after " + std::to_string(last)) +
             " (this line is left out)";
    });
    return false;
  }

  std::string place() const { return path_ + ":" + std::to_string(line_); }

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
    const auto [first, is_new] = places_.emplace(record.run, place());
    const auto begun = begun_.find(record.run);
    if (!is_new && begun == begun_.end()) {
      throw UserError(place() + ": run " + record.run + " is recorded twice, first in " +
                      first->second);
    }
    if (begun != begun_.end()) {
      if (!std::exchange(begun->second.is_over, true)) {
        begun_again_.add([&] {
          return place() + ": run " + record.run +
                 " begins a second time; its lines from here on are left out";
        });
      }
      return;
    }
    begun_[record.run].place = recording_.runs.size();
    RecordedRun run;
    run.begin = std::move(record);
    run.folder = folder_;
    run.file = path_;
    run.line = line_;
    recording_.runs.push_back(std::move(run));
  }

  void add_one(const StepRecord& record) {
    Begun* begun = run_of(record.run);
    if (begun == nullptr || !is_later(record, begun->step)) return;
    RecordedRun& run = recorded(*begun);
    append(run, "step.loss", record.step, record.loss);
    append(run, "step.lr", record.step, static_cast<float>(record.lr));
    append(run, "step.grad_norm", record.step, record.grad_norm);
  }

  void add_one(const GradientsRecord& record) {
    Begun* begun = run_of(record.run);
    if (begun == nullptr || !is_later(record, begun->gradients)) return;
    for (const auto& [path, norm] : record.norms) {
      append(recorded(*begun), "gradients." + path, record.step, norm);
    }
  }

  void add_one(const EvaluationRecord& record) {
    Begun* begun = run_of(record.run);
    if (begun == nullptr) return;
    const auto last = begun->evaluations.emplace(record.split, -1).first;
    if (!is_later(record, last->second)) return;
    RecordedRun& run = recorded(*begun);
    append(run, record.split + ".loss", record.step, record.loss);
    for (const auto& [name, value] : record.metrics) {
      append(run, record.split + "." + name, record.step, value);
    }
  }

  void add_one(const AttentionRecord& record) {
    Begun* begun = run_of(record.run);
    if (begun == nullptr) return;
    const auto map = std::make_tuple(record.layer, record.head, record.sample);
    const auto last = begun->attention.emplace(map, -1).first;
    if (!is_later(record, last->second)) return;
    RecordedRun& run = recorded(*begun);
    const std::string head = "." + std::to_string(record.layer) + "." + std::to_string(record.head);
    float entropy = 0;
    for (const float of_query : record.entropy) entropy += of_query;
    entropy /= static_cast<float>(std::max<size_t>(record.entropy.size(), 1));
    append(run, "attention.entropy" + head, record.step, entropy, record.sample);
    append(run, "attention.diagonal" + head, record.step, record.diagonal, record.sample);
    if (choice_.visit_attention) choice_.visit_attention(run, record);
  }

  void add_one(const TensorRecord&) {}

  void add_one(const ResumedRecord& record) { run_of(record.run); }

  void add_one(EndRecord& record) {
    Begun* begun = run_of(record.run);
    if (begun == nullptr) return;
    RecordedRun& run = recorded(*begun);
    if (run.end) {
      out_of_order_.add([&] {
        return place() + ": run " + record.run + " ends a second time (this line is left out)";
      });
      return;
    }
    run.end = std::move(record);
  }

  void tell(const ReadSummary& summary) {
    std::vector<std::string>& left_out = recording_.left_out;
    begun_again_.tell(left_out, path_, "more runs begin a second time");
    out_of_order_.tell(left_out, path_, "more lines come twice or out of order and are left out");
    Sentences damaged;
    for (const std::string& line : summary.damaged) {
      damaged.add([&] { return line + " (this line is left out)"; });
    }
    damaged.tell(left_out, path_, "more lines are damaged and left out");
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
  std::unordered_map<std::string, Begun> begun_;  // by run id
  Sentences begun_again_, out_of_order_;
  int64_t line_ = 0;
  int64_t strays_ = 0, first_stray_ = 0;
};

/// What an experiment.json names as baseline; empty where it has no ablation.
std::string baseline_of(const ExperimentFile& file, const std::string& path) {
  const JsonValue config = parse_json(file.config, path);
  const JsonValue* baseline = find_path(config, "ablation.baseline");
  return baseline == nullptr ? "" : baseline->string();
}

/// Files of records that belong to no group.
void tell_of_unlisted(const ExperimentFolder& folder, const ExperimentFile& file,
                      std::vector<std::string>& left_out) {
  std::set<std::string> listed;
  for (const RunGroup& group : file.groups) listed.insert(folder.records_file(group.name()));
  std::set<std::string> others;  // in an order of their own
  for_each_entry(folder.path() + "/records", [&](const fs::directory_entry& entry) {
    const bool is_of_records = entry.path().extension() == ".jsonl";
    if (is_of_records && listed.count(entry.path()) == 0) others.insert(entry.path());
  });
  Sentences unlisted;
  for (const std::string& file_name : others) {
    unlisted.add([&] { return file_name + ": experiment.json does not list it (left out)"; });
  }
  unlisted.tell(left_out, folder.path(), "more files of records are not listed and left out");
}

void read_folder(const std::string& path, Recording& recording, const ReadingChoice& choice,
                 Places& places) {
  const ExperimentFolder folder(path);
  const ExperimentFile file = read_experiment_file(folder.experiment_file());
  recording.files.insert(recording.files.end(), {folder.experiment_file(), folder.lock_file()});
  for (const char* below : {"/records", "/checkpoints"}) {
    for_each_entry(path + below, [&](const fs::directory_entry& entry) {
      recording.files.push_back(entry.path().string());
    });
  }
  tell_of_unlisted(folder, file, recording.left_out);
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

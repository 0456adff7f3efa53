#include "record/group_records.hpp"

#include <filesystem>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "record/record_stream.hpp"

namespace qkvlab {

namespace {

/// Gathers what a group's file says of its runs.
class Reader {
 public:
  Reader(const std::string& path, const RunGroup& group) : path_(path) {
    records_.runs.resize(group.runs.size());
    for (size_t i = 0; i < group.runs.size(); ++i) places_[group.runs[i].run] = i;
  }

  GroupRecords read() {
    const ReadSummary summary = read_records(
        path_, [this](Record&& record, int64_t line) { add(std::move(record), line); },
        // A type that nobody knows is read, which tells of it.
        [](std::string_view type) {
          return type != RunRecord::kType && type != StepRecord::kType &&
                 type != GradientsRecord::kType && type != AttentionRecord::kType &&
                 type != TensorRecord::kType && type != ResumedRecord::kType;
        });
    if (records_.damage.empty() && !summary.damaged.empty()) {
      records_.damage = summary.damaged.front();
    }
    if (records_.damage.empty() && summary.unknown_types > 0) {
      records_.damage = path_ + ": holds a record of a type that this version does not know";
    }
    return std::move(records_);
  }

 private:
  void note_damage(int64_t line, const std::string& what) {
    if (records_.damage.empty()) {
      records_.damage = path_ + ":" + std::to_string(line) + ": " + what;
    }
  }

  /// The run that a record belongs to; null where the group has no such run.
  GroupRecords::Run* run_of(const std::string& id, int64_t line) {
    const auto place = places_.find(id);
    if (place != places_.end()) return &records_.runs[place->second];
    note_damage(line, "is of run " + id + ", which does not belong to this file");
    return nullptr;
  }

  void add(Record&& record, int64_t line) {
    if (auto* evaluation = std::get_if<EvaluationRecord>(&record)) {
      GroupRecords::Run* run = run_of(evaluation->run, line);
      if (run == nullptr) return;
      std::vector<EvaluationRecord>& latest = run->evaluations;
      if (!latest.empty() && latest.front().step != evaluation->step) latest.clear();
      latest.push_back(std::move(*evaluation));
    } else if (auto* end = std::get_if<EndRecord>(&record)) {
      GroupRecords::Run* run = run_of(end->run, line);
      if (run == nullptr || end->status == "interrupted" || end->status == "failed") return;
      if (end->status != "completed" && end->status != "diverged") {
        note_damage(line, "unknown status " + end->status);
        return;
      }
      if (!run->end) ++records_.ended_runs;
      run->end = std::move(*end);
    }
  }

  const std::string& path_;
  std::unordered_map<std::string, size_t> places_;  // run id -> its place in the group
  GroupRecords records_;
};

}  // namespace

std::optional<GroupRecords> read_group_records(const std::string& path, const RunGroup& group) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return {};
  return Reader(path, group).read();
}

}  // namespace qkvlab

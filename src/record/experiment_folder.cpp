#include "record/experiment_folder.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "base/atomic_file.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/file_lock.hpp"
#include "base/json.hpp"
#include "base/json_difference.hpp"
#include "base/number_text.hpp"
#include "record/experiment_file.hpp"

namespace qkvlab {

namespace {

namespace fs = std::filesystem;

void create_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail_creating(path, error.value());
}

/// Waits until nobody else changes a folder; it is free again when the file is closed.
Descriptor lock_folder(const ExperimentFolder& folder, const Warn& warn) {
  constexpr mode_t kNewFileMode = 0666;  // less the umask
  const std::string path = folder.lock_file();
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, kNewFileMode));
  if (file.get() < 0) fail_creating(path, errno);
  if (lock_file(file, path, LockWait::kUntilFree) == LockResult::kNotSupported) {
    warn(no_locks_warning(folder.path()));
  }
  return file;
}

std::string object_text(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string text = "{";
  for (const auto& [key, value] : members) {
    if (text.size() > 1) text += ", ";
    append_json_string(text, key);
    text += ": ";
    append_json_string(text, value);
  }
  return text + "}";
}

std::optional<std::string> difference_between(const std::string& there, const std::string& here,
                                              const std::string& folder) {
  return first_difference(parse_json(there, folder), parse_json(here, folder), "there", "here");
}

/// `what` is there ("another experiment").
[[noreturn]] void refuse(const std::string& folder, const std::string& what,
                         const std::string& difference) {
  throw UserError(folder + ": holds " + what + ": " + difference +
                  "; choose another folder with --out");
}

std::set<std::string> runs_of(const std::vector<RunGroup>& groups) {
  std::set<std::string> runs;
  for (const RunGroup& group : groups) {
    for (const SeedRun& run : group.runs) runs.insert(run.run);
  }
  return runs;
}

/// Enters variants and runs into a file that lists some of them.
class Entry {
 public:
  Entry(ExperimentFile& file, const ExperimentFolder& folder)
      : file_(file), folder_(folder), listed_(runs_of(file.groups)) {
    for (size_t i = 0; i < file.variants.size(); ++i) {
      places_.emplace(std::make_pair(file.variants[i].name, file.variants[i].cell), i);
    }
  }

  /// Whether anything of it was missing.
  bool add(const VariantRuns& variant) {
    if (!file_.knows_cells && !variant.cell.empty()) {
      throw UserError(folder_.path() +
                      ": was written by an older qkvlab, to which cells of a grid were parts of "
                      "names; choose another folder with --out");
    }
    const auto [known, is_new] =
        places_.emplace(std::make_pair(variant.name, variant.cell), file_.variants.size());
    if (is_new) {
      file_.variants.push_back({variant.name, variant.cell, variant.identity});
    } else {
      forget_or_refuse(file_.variants[known->second], variant);
    }
    std::vector<SeedRun> missing;
    for (const SeedRun& run : variant.runs) {
      if (listed_.insert(run.run).second) missing.push_back(run);
    }
    for (RunGroup& group : divide_into_groups(variant.name, missing, variant.replicas)) {
      group.cell = variant.cell;
      file_.groups.push_back(std::move(group));
    }
    return is_new || !missing.empty();
  }

 private:
  /// Gives a listed variant of which nothing was recorded a new identity; refuses one of which
  /// something was.
  void forget_or_refuse(ExperimentVariant& listed, const VariantRuns& variant) {
    const auto difference = difference_between(listed.identity, variant.identity, folder_.path());
    if (!difference) return;
    const auto its =
        std::stable_partition(file_.groups.begin(), file_.groups.end(), [&](const RunGroup& group) {
          return group.variant != variant.name || group.cell != variant.cell;
        });
    const std::vector<RunGroup> groups(its, file_.groups.end());
    if (folder_.holds_any(groups)) {
      refuse(folder_.path(), "another variant " + name_in_cell(variant.name, variant.cell),
             *difference);
    }
    for (const std::string& run : runs_of(groups)) listed_.erase(run);
    file_.groups.erase(its, file_.groups.end());
    listed.identity = variant.identity;
  }

  ExperimentFile& file_;
  const ExperimentFolder& folder_;
  std::set<std::string> listed_;                           // ids of runs
  std::map<std::pair<std::string, Cell>, size_t> places_;  // of variants in the file
};

}  // namespace

bool ExperimentFolder::holds_any(const std::vector<RunGroup>& groups) const {
  return std::any_of(groups.begin(), groups.end(), [&](const RunGroup& group) {
    std::error_code missing;
    const auto size = fs::file_size(records_file(group.name()), missing);
    return (!missing && size > 0) || fs::exists(checkpoint_file(group.name()), missing);
  });
}

std::vector<RunGroup> ExperimentFolder::enter(const Experiment& experiment,
                                              const std::vector<VariantRuns>& variants,
                                              const Warn& warn) const {
  create_folder(path_ + "/records");
  create_folder(path_ + "/checkpoints");
  const Descriptor lock = lock_folder(*this, warn);
  for (const std::string& folder : {path_, path_ + "/checkpoints"}) remove_abandoned_files(folder);
  ExperimentFile file{
      experiment.config, experiment.identity, object_text(experiment.environment), {}, {}};
  std::error_code unreadable;  // then reading it says why
  if (fs::exists(experiment_file(), unreadable) || unreadable) {
    const ExperimentFile there = read_experiment_file(experiment_file());
    const auto difference = difference_between(there.identity, file.identity, path_);
    if (!difference) {
      file = there;
    } else if (holds_any(there.groups)) {
      refuse(path_, "another experiment", *difference);
    }
  } else if (!fs::is_empty(path_ + "/records", unreadable)) {
    throw UserError(
        path_ +
        ": holds records but no experiment.json that describes them; choose another folder "
        "with --out");
  }
  bool changed = false;
  Entry entry(file, *this);
  for (const VariantRuns& variant : variants) changed = entry.add(variant) || changed;
  if (changed) write_experiment_file(experiment_file(), file);

  std::set<std::string> wanted;
  for (const VariantRuns& variant : variants) {
    for (const SeedRun& run : variant.runs) wanted.insert(run.run);
  }
  std::vector<RunGroup> groups;
  for (const RunGroup& group : file.groups) {
    const bool holds_one = std::any_of(group.runs.begin(), group.runs.end(),
                                       [&](const auto& run) { return wanted.count(run.run) > 0; });
    if (holds_one) groups.push_back(group);
  }
  return groups;
}

}  // namespace qkvlab

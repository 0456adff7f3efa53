#include "record/experiment_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "base/atomic_file.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
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
  if (error) throw UserError(path + ": cannot be created: " + error.message());
}

/// Waits until nobody else changes the folder; it is free again when this is gone.
class FolderLock {
 public:
  explicit FolderLock(const std::string& path)
      : folder_(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    // A file system without locks is no reason to refuse.
    while (flock(folder_.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
  }

 private:
  Descriptor folder_;
};

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

/// `what` is there ("another experiment") where it differs.
void refuse_difference(const std::string& folder, const std::string& what, const std::string& there,
                       const std::string& here) {
  const auto difference =
      first_difference(parse_json(there, folder), parse_json(here, folder), "there", "here");
  if (!difference) return;
  throw UserError(folder + ": holds " + what + ": " + *difference +
                  "; choose another folder with --out (ablate finds one with --force-new)");
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
  Entry(ExperimentFile& file, const std::string& folder)
      : file_(file), folder_(folder), listed_(runs_of(file.groups)) {
    for (size_t i = 0; i < file.variants.size(); ++i) {
      places_.emplace(std::make_pair(file.variants[i].name, file.variants[i].cell), i);
    }
  }

  /// Whether anything of it was missing.
  bool add(const VariantRuns& variant) {
    if (!file_.knows_cells && !variant.cell.empty()) {
      throw UserError(folder_ +
                      ": was written by an older qkvlab, to which cells of a grid were parts of "
                      "names; choose another folder with --out");
    }
    const auto [known, is_new] =
        places_.emplace(std::make_pair(variant.name, variant.cell), file_.variants.size());
    if (is_new) {
      file_.variants.push_back({variant.name, variant.cell, variant.identity});
    } else {
      refuse_difference(folder_, "another variant " + name_in_cell(variant.name, variant.cell),
                        file_.variants[known->second].identity, variant.identity);
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
  ExperimentFile& file_;
  const std::string& folder_;
  std::set<std::string> listed_;                           // ids of runs
  std::map<std::pair<std::string, Cell>, size_t> places_;  // of variants in the file
};

}  // namespace

std::vector<RunGroup> ExperimentFolder::enter(const Experiment& experiment,
                                              const std::vector<VariantRuns>& variants) const {
  create_folder(path_ + "/records");
  create_folder(path_ + "/checkpoints");
  const FolderLock lock(path_);
  for (const std::string& folder : {path_, path_ + "/checkpoints"}) remove_abandoned_files(folder);
  ExperimentFile file{
      experiment.config, experiment.identity, object_text(experiment.environment), {}, {}};
  std::error_code unreadable;  // then reading it says why
  if (fs::exists(experiment_file(), unreadable) || unreadable) {
    file = read_experiment_file(experiment_file());
    refuse_difference(path_, "another experiment", file.identity, experiment.identity);
  } else if (!fs::is_empty(path_ + "/records", unreadable)) {
    throw UserError(path_ +
                    ": holds records, but no experiment.json says of what; choose another folder "
                    "with --out");
  }
  bool changed = false;
  Entry entry(file, path_);
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

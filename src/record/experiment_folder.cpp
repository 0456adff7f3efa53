#include "record/experiment_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
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

/// Enters those of a variant's runs that are not `listed`; whether anything was missing.
bool add_variant(ExperimentFile& file, const VariantRuns& variant,
                 const std::set<std::string>& listed, const std::string& folder) {
  const auto known = std::find_if(file.variants.begin(), file.variants.end(),
                                  [&](const auto& one) { return one.first == variant.name; });
  if (known == file.variants.end()) {
    file.variants.emplace_back(variant.name, variant.identity);
  } else {
    refuse_difference(folder, "another variant " + variant.name, known->second, variant.identity);
  }
  std::vector<SeedRun> missing;
  for (const SeedRun& run : variant.runs) {
    if (listed.count(run.run) == 0) missing.push_back(run);
  }
  for (RunGroup& group : divide_into_groups(variant.name, missing, variant.replicas)) {
    file.groups.push_back(std::move(group));
  }
  return known == file.variants.end() || !missing.empty();
}

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
    throw UserError(
        path_ +
        ": holds records but no experiment.json that describes them; choose another folder "
        "with --out");
  }
  const std::set<std::string> listed = runs_of(file.groups);
  bool changed = false;
  for (const VariantRuns& variant : variants) {
    changed = add_variant(file, variant, listed, path_) || changed;
  }
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

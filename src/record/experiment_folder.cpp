#include "record/experiment_folder.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
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

/// What decides the results of a variant; null where it is not listed.
const std::string* identity_of(const ExperimentFile& file, const std::string& variant) {
  for (const auto& [name, identity] : file.variants) {
    if (name == variant) return &identity;
  }
  return nullptr;
}

std::set<std::string> runs_of(const std::vector<RunGroup>& groups) {
  std::set<std::string> runs;
  for (const RunGroup& group : groups) {
    for (const SeedRun& run : group.runs) runs.insert(run.run);
  }
  return runs;
}

/// Forgets the groups and the identity of a variant of which nothing was recorded.
void forget(ExperimentFile& file, const std::string& variant) {
  const auto is_its = [&](const RunGroup& group) { return group.variant == variant; };
  const auto has_its_name = [&](const auto& one) { return one.first == variant; };
  file.groups.erase(std::remove_if(file.groups.begin(), file.groups.end(), is_its),
                    file.groups.end());
  file.variants.erase(std::remove_if(file.variants.begin(), file.variants.end(), has_its_name),
                      file.variants.end());
}

/// Enters those of a variant's runs that are not `listed` yet; whether anything was missing.
bool add_variant(ExperimentFile& file, const VariantRuns& variant, std::set<std::string>& listed) {
  const bool is_new = identity_of(file, variant.name) == nullptr;
  if (is_new) file.variants.emplace_back(variant.name, variant.identity);
  std::vector<SeedRun> missing;
  for (const SeedRun& run : variant.runs) {
    if (listed.insert(run.run).second) missing.push_back(run);
  }
  for (RunGroup& group : divide_into_groups(variant.name, missing, variant.replicas)) {
    file.groups.push_back(std::move(group));
  }
  return is_new || !missing.empty();
}

}  // namespace

bool ExperimentFolder::holds_any(const std::vector<RunGroup>& groups,
                                 const std::string& variant) const {
  return std::any_of(groups.begin(), groups.end(), [&](const RunGroup& group) {
    std::error_code missing;
    if (!variant.empty() && group.variant != variant) return false;
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
    } else if (holds_any(there.groups, "")) {
      refuse(path_, "another experiment", *difference);
    }
  } else if (!fs::is_empty(path_ + "/records", unreadable)) {
    throw UserError(path_ +
                    ": holds records, but no experiment.json says of what; choose another folder "
                    "with --out");
  }
  for (const VariantRuns& variant : variants) {
    const std::string* there = identity_of(file, variant.name);
    if (there == nullptr) continue;
    const auto difference = difference_between(*there, variant.identity, path_);
    if (!difference) continue;
    if (holds_any(file.groups, variant.name)) {
      refuse(path_, "another variant " + variant.name, *difference);
    }
    forget(file, variant.name);
  }
  std::set<std::string> listed = runs_of(file.groups);
  bool changed = false;
  for (const VariantRuns& variant : variants) {
    changed = add_variant(file, variant, listed) || changed;
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

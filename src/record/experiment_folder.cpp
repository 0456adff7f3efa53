#include "record/experiment_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/atomic_file.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_difference.hpp"
#include "base/number_text.hpp"
#include "base/text_file.hpp"

namespace qkvlab {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kSchema = 1;

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

std::string group_text(const RunEntry& entry) {
  std::string text = R"({"records": "records/)" + entry.run + R"(.jsonl", "runs": [{"run": ")" +
                     entry.run + R"(", "variant": )";
  append_json_string(text, entry.variant);
  text += R"(, "seed": )";
  append_number(text, entry.seed);
  return text + "}]}";
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

/// What experiment.json says already.
struct Experiment {
  std::string config, identity, environment;  // JSON objects
  std::vector<std::string> groups;            // JSON objects
};

/// The text that an object was read from.
std::string text_of(const JsonValue& object, const std::string& whole) {
  object.members();  // throws where it is none
  const auto [begin, end] = object.span();
  return whole.substr(begin, end - begin);
}

std::string experiment_text(const Experiment& experiment) {
  std::string text = "{\"schema\": " + std::to_string(kSchema) +
                     ",\n \"config\": " + experiment.config +
                     ",\n \"identity\": " + experiment.identity +
                     ",\n \"environment\": " + experiment.environment + ",\n \"groups\": [";
  for (size_t i = 0; i < experiment.groups.size(); ++i) {
    text += (i == 0 ? "\n  " : ",\n  ") + experiment.groups[i];
  }
  return text + "\n ]}\n";
}

bool lists(const JsonValue& document, const std::string& run) {
  for (const JsonValue& group : document.at("groups").array()) {
    for (const JsonValue& entry : group.at("runs").array()) {
      if (entry.at("run").string() == run) return true;
    }
  }
  return false;
}

}  // namespace

void ExperimentFolder::enter(
    const RunEntry& entry, const std::string& config, const std::string& identity,
    const std::vector<std::pair<std::string, std::string>>& environment) const {
  create_folder(path_ + "/records");
  create_folder(path_ + "/checkpoints");
  const FolderLock lock(path_);  // several processes may enter runs at once
  Experiment experiment{config, identity, object_text(environment), {}};
  std::error_code unreadable;  // then reading it says why
  if (fs::exists(experiment_file(), unreadable) || unreadable) {
    const std::string text = read_text_file(experiment_file());
    const JsonValue document = parse_json(text, experiment_file());
    if (document.at("schema").integer(1) > kSchema) {
      document.at("schema").fail("was written by a newer qkvlab; this one reads " +
                                 std::to_string(kSchema));
    }
    const auto difference = first_difference(document.at("identity"),
                                             parse_json(identity, "this config"), "there", "here");
    if (difference) {
      throw UserError(path_ + ": holds another experiment: " + *difference +
                      "; choose another folder with --out");
    }
    if (lists(document, entry.run)) return;
    experiment.config = text_of(document.at("config"), text);
    experiment.environment = text_of(document.at("environment"), text);
    for (const JsonValue& group : document.at("groups").array()) {
      experiment.groups.push_back(text_of(group, text));
    }
  }
  experiment.groups.push_back(group_text(entry));
  AtomicFile file(experiment_file());
  file.write(experiment_text(experiment));
  file.commit();
}

}  // namespace qkvlab

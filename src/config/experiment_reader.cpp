#include "config/experiment_reader.hpp"

#include <filesystem>
#include <optional>
#include <utility>

#include "base/json.hpp"
#include "base/paths.hpp"
#include "base/text_file.hpp"
#include "base/utf8.hpp"
#include "config/document_place.hpp"
#include "config/experiment_checks.hpp"
#include "config/experiment_fields.hpp"
#include "config/experiment_writer.hpp"
#include "config/field_reader.hpp"
#include "config/overrides.hpp"

namespace qkvlab {

namespace {

ExperimentConfig read_fields(const JsonValue& document) {
  ExperimentConfig config;
  FieldReader reader(document);
  // For editors, which complete and check against the schema that it names.
  if (const JsonValue* schema = document.find("$schema")) schema->string();
  ConfigFields<ExperimentConfig>::visit(config, reader);
  reader.finish();
  return config;
}

/// Visits the fields of a task and puts the places where input files are in place of their names.
class FileFinder {
 public:
  FileFinder(const JsonValue& document, const std::string& config_path) : document_(document) {
    std::error_code no_working_directory;
    const auto folder = std::filesystem::absolute(config_path, no_working_directory).parent_path();
    folders_ = {folder, folder.parent_path()};
  }

  template <typename T, typename Rule = Any>
  void field(const char* key, T& member, const char* /*doc*/, const Rule& /*rule*/ = {}) {
    if constexpr (std::is_same_v<Rule, InputFile>) find(key, member);
  }

 private:
  void find(const std::string& key, std::string& name) const {
    FoundFile file = look_for_input_file(name, folders_);
    if (!file.path) {
      const bool is_downloaded = name.rfind("data/downloaded/", 0) == 0;
      fail_at_path(document_, "task." + key,
                   "'" + name + "': " + file.complaint +
                       (is_downloaded ? "; scripts/get-data downloads texts to that folder, "
                                        "and task." +
                                            key + "=… takes one of yours"
                                      : ""));
    }
    // Records are UTF-8, and name it.
    if (first_invalid_utf8(*file.path)) {
      fail_at_path(document_, "task." + key, "'" + name + "': the path to it must be UTF-8");
    }
    name = std::move(*file.path);
  }
  void find(const std::string& key, std::optional<std::string>& name) const {
    if (name) find(key, *name);
  }

  const JsonValue& document_;
  std::vector<std::filesystem::path> folders_;
};

void find_files(const JsonValue& document, const std::string& config_path, TaskConfig& task) {
  FileFinder finder(document, config_path);
  std::visit(
      [&](auto& typed) { ConfigFields<std::decay_t<decltype(typed)>>::visit(typed, finder); },
      task);
}

void resolve_output(const TaskShape& shape, ModelConfig& model) {
  auto* transformer = std::get_if<TransformerConfig>(&model);
  if (transformer == nullptr || transformer->output != OutputKind::kAuto) return;
  transformer->output = shape.per_token ? OutputKind::kToken : OutputKind::kLast;
}

}  // namespace

const JsonValue& default_document() {
  static const JsonValue document = parse_json(config_line(ExperimentConfig{}), "defaults");
  return document;
}

JsonValue read_config_document(const std::string& path, const std::vector<std::string>& overrides) {
  JsonValue document = parse_json(read_text_file(path, kMaxConfigBytes), path);
  apply_overrides(document, overrides, default_document());
  return document;
}

ResolvedConfig resolve_config(const JsonValue& document, const std::string& path,
                              TaskReader& tasks) {
  ExperimentConfig config = read_fields(document);
  if (config.name.empty()) {
    config.name = std::filesystem::path(path).stem().string();
    if (first_invalid_utf8(config.name)) {
      fail_at_path(document, "name", "must be given, since that of the file is not UTF-8");
    }
  }
  check_fields(document, config);
  find_files(document, path, config.task);
  const TaskFacts& task = tasks.facts(config.task);
  resolve_output(task.shape, config.model);
  check_shape(document, config, task);
  return {std::move(config), task};
}

ExperimentConfig read_experiment_config(const std::string& path,
                                        const std::vector<std::string>& overrides) {
  TaskReader tasks;
  return resolve_config(read_config_document(path, overrides), path, tasks).config;
}

}  // namespace qkvlab

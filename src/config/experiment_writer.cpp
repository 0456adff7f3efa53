#include "config/experiment_writer.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "config/experiment_fields.hpp"
#include "config/field_writer.hpp"

namespace qkvlab {

namespace {

std::string written(const ExperimentConfig& config, const FieldStyle& style) {
  FieldWriter writer(style);
  ConfigFields<ExperimentConfig>::visit(config, writer);
  return writer.object();
}

}  // namespace

std::string FieldWriter::text_of(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

std::string FieldWriter::text_of(const std::string& value) {
  std::string text;
  append_json_string(text, value);
  return text;
}

std::string FieldWriter::text_of(const std::vector<int64_t>& values) const {
  std::vector<std::string> texts;
  for (const int64_t value : values) texts.push_back(std::to_string(value));
  return list_of(texts);
}

std::string FieldWriter::text_of(const std::vector<VariantConfig>& variants) const {
  FieldWriter names(style_, depth_ + 1);
  for (const VariantConfig& variant : variants) {
    FieldWriter overrides(style_, depth_ + 2);
    for (const FieldOverride& change : variant.overrides) {
      overrides.members_.emplace_back(change.path, change.value);
    }
    names.members_.emplace_back(variant.name, overrides.object());
  }
  return names.object();
}

std::string FieldWriter::text_of(const std::vector<GridAxis>& grid) const {
  FieldWriter axes(style_, depth_ + 1);
  for (const GridAxis& axis : grid) axes.members_.emplace_back(axis.path, list_of(axis.values));
  return axes.object();
}

std::string FieldWriter::list_of(const std::vector<std::string>& values) const {
  std::string text = "[";
  const char* separator = "";
  for (const std::string& value : values) {
    text += separator + value;
    separator = style_.one_line ? "," : ", ";
  }
  return text + "]";
}

std::string FieldWriter::object() const {
  if (members_.empty()) return "{}";
  auto members = members_;
  if (style_.only_results) std::sort(members.begin(), members.end());
  const std::string indent = style_.one_line ? "" : "\n" + std::string(2 * depth_, ' ');
  std::string text = "{";
  const char* separator = "";
  for (const auto& [key, value] : members) {
    text += separator + indent + (style_.one_line ? "" : "  ") + text_of(key) +
            (style_.one_line ? ":" : ": ") + value;
    separator = ",";
  }
  return text + indent + "}";
}

std::string config_text(const ExperimentConfig& config) {
  FieldStyle style;
  style.one_line = false;
  return written(config, style) + "\n";
}

std::string config_line(const ExperimentConfig& config) { return written(config, {}); }

std::string task_line(const TaskConfig& task) {
  const FieldStyle style;
  return FieldWriter(style).text_of(task);
}

std::string identity_json(const ExperimentConfig& config, const std::string& file_digest) {
  FieldStyle style;
  style.only_results = true;
  style.file_digest = file_digest;
  return written(config, style);
}

std::string identity_of_all_seeds(ExperimentConfig config, const std::string& file_digest) {
  config.random.seed = 0;
  return identity_json(config, file_digest);
}

std::string run_id(const ExperimentConfig& config, const std::string& file_digest) {
  return xxh3_128_hex16(identity_json(config, file_digest));
}

}  // namespace qkvlab

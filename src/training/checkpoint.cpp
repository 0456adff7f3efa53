#include "training/checkpoint.hpp"

#include <filesystem>
#include <limits>

#include "base/atomic_file.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_difference.hpp"
#include "base/number_text.hpp"
#include "base/paths.hpp"
#include "base/text_file.hpp"

namespace qkvlab {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kFormat = 2;

/// RUN.STEP.safetensors beside RUN.json.
std::string tensors_file(const std::string& file, int64_t step) {
  return fs::path(file).replace_extension(std::to_string(step) + ".safetensors").string();
}

void append_member(std::string& text, const std::string& key, const std::string& json) {
  text += text.size() == 1 ? "" : ",\n ";
  append_json_string(text, key);
  text += ": " + json;
}

template <typename Number>
std::string number_json(Number value) {
  std::string text;
  append_number(text, value);
  return text;
}

std::string string_json(const std::string& value) {
  std::string text;
  append_json_string(text, value);
  return text;
}

std::string evaluations_json(const std::vector<Evaluation>& evaluations) {
  std::string text = "[";
  for (const Evaluation& evaluation : evaluations) {
    if (text.size() > 1) text += ", ";
    std::string metrics = "{";
    for (const auto& [name, value] : evaluation.metrics) {
      append_member(metrics, name, number_json(value));
    }
    text += R"({"step": )" + number_json(evaluation.step) + R"(, "split": )" +
            string_json(evaluation.split) + R"(, "loss": )" + number_json(evaluation.loss) +
            R"(, "metrics": )" + metrics + "}}";
  }
  return text + "]";
}

/// "learning", or how the run has ended.
std::string status_of(const RunState& run) { return run.end ? status_name(*run.end) : "learning"; }

std::string runs_json(const Checkpoint& checkpoint) {
  std::string text = "[";
  for (size_t i = 0; i < checkpoint.runs.size(); ++i) {
    const RunState& run = checkpoint.training.runs[i];
    if (i > 0) text += ",\n  ";
    text += R"({"run": )" + string_json(checkpoint.runs[i]) + R"(, "status": )" +
            string_json(status_of(run)) + R"(, "steps": )" + number_json(run.steps) +
            R"(, "reason": )" + string_json(run.reason) + R"(, "batch_digest": )" +
            string_json(run.batch_digest) + R"(, "evaluations": )" +
            evaluations_json(run.evaluations) + "}";
  }
  return text + "]";
}

std::string checkpoint_text(const Checkpoint& checkpoint, const std::string& tensors) {
  std::string text = "{";
  append_member(text, "format", number_json(kFormat));
  append_member(text, "status", string_json(checkpoint.status));
  append_member(text, "reason", string_json(checkpoint.reason));
  append_member(text, "step", number_json(checkpoint.training.step));
  append_member(text, "tensors", string_json(fs::path(tensors).filename().string()));
  append_member(text, "tensors_digest", string_json(checkpoint.tensors_digest));
  append_member(text, "records_length", number_json(checkpoint.records_length));
  append_member(text, "records_digest", string_json(checkpoint.records_digest));
  std::string environment = "{";
  for (const auto& [name, value] : checkpoint.environment) {
    append_member(environment, name, string_json(value));
  }
  append_member(text, "environment", environment + "}");
  append_member(text, "wall_s", number_json(checkpoint.wall_s));
  append_member(text, "runs", runs_json(checkpoint));
  append_member(text, "identity", checkpoint.identity);
  return text + "}\n";
}

/// A number as it was written: what is not finite is a string.
double number_of(const JsonValue& value) {
  if (value.kind() != JsonValue::Kind::kString) return value.number();
  const std::string& text = value.one_of("number", {"NaN", "Infinity", "-Infinity"});
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return text == "Infinity" ? infinity : -infinity;
}

Evaluation evaluation_of(const JsonValue& value) {
  Evaluation evaluation;
  evaluation.step = value.at("step").integer(0);
  evaluation.split = value.at("split").string();
  evaluation.loss = number_of(value.at("loss"));
  for (const auto& [name, metric] : value.at("metrics").members()) {
    evaluation.metrics.emplace_back(name, number_of(metric));
  }
  return evaluation;
}

RunState run_state_of(const JsonValue& value) {
  RunState run;
  const std::string& status =
      value.at("status").one_of("status", {"learning", "completed", "diverged"});
  if (status == "completed") run.end = TrainingEnd::kCompleted;
  if (status == "diverged") run.end = TrainingEnd::kDiverged;
  run.steps = value.at("steps").integer(0);
  run.reason = value.at("reason").string();
  run.batch_digest = value.at("batch_digest").string();
  for (const JsonValue& evaluation : value.at("evaluations").array()) {
    run.evaluations.push_back(evaluation_of(evaluation));
    if (run.evaluations.back().metrics.size() != run.evaluations.front().metrics.size()) {
      evaluation.fail("must have the metrics of the first");
    }
  }
  return run;
}

}  // namespace

void save_checkpoint(const std::string& file, Checkpoint checkpoint, const RunTensors& tensors,
                     std::optional<int64_t> previous) {
  const int64_t step = checkpoint.training.step;
  checkpoint.tensors_digest = save_tensors(tensors_file(file, step), step, tensors);
  AtomicFile json(file);
  json.write(checkpoint_text(checkpoint, tensors_file(file, step)));
  json.commit();
  std::error_code ignored;
  if (previous && *previous != step) fs::remove(tensors_file(file, *previous), ignored);
}

std::optional<Checkpoint> read_checkpoint(const std::string& file,
                                          const std::optional<std::string>& identity) {
  std::error_code no_such_file;
  if (!fs::exists(file, no_such_file) && !no_such_file) return {};
  const std::string text = read_text_file(file);
  const JsonValue json = parse_json(text, file);
  if (const int64_t format = json.at("format").integer(1); format != kFormat) {
    json.at("format").fail(std::string("was written by ") +
                           (format > kFormat ? "a newer" : "an older") +
                           " qkvlab; this one reads " + std::to_string(kFormat));
  }
  Checkpoint checkpoint;
  const JsonValue& saved = json.at("identity");
  saved.members();  // throws where it is no object
  checkpoint.identity = text.substr(saved.span().first, saved.span().second - saved.span().first);
  if (identity) {
    const auto difference = first_difference(saved, parse_json(*identity, "this config"),
                                             "in the checkpoint", "in the config");
    if (difference) throw UserError(file + ": does not belong to this config: " + *difference);
  }
  checkpoint.status = json.at("status").one_of("status", {"running", "ended", "interrupted"});
  checkpoint.reason = json.at("reason").string();
  checkpoint.training.step = json.at("step").integer(0);
  checkpoint.records_length = json.at("records_length").integer(0);
  checkpoint.records_digest = json.at("records_digest").string();
  for (const auto& [name, value] : json.at("environment").members()) {
    checkpoint.environment.emplace_back(name, value.string());
  }
  for (const JsonValue& run : json.at("runs").array()) {
    checkpoint.runs.push_back(run.at("run").string());
    checkpoint.training.runs.push_back(run_state_of(run));
  }
  if (checkpoint.runs.empty() || checkpoint.runs.front() != fs::path(file).stem()) {
    json.at("runs").fail("must begin with the run that the file is named after");
  }
  checkpoint.wall_s = json.at("wall_s").number();
  if (checkpoint.wall_s < 0) json.at("wall_s").fail("must not be negative");
  const std::string named = json.at("tensors").string();
  if (named != fs::path(tensors_file(file, checkpoint.training.step)).filename()) {
    json.at("tensors").fail("must be RUN.STEP.safetensors of this run and step");
  }
  checkpoint.tensors_digest = json.at("tensors_digest").string();
  json.refuse_unread_keys();
  return checkpoint;
}

void restore_checkpoint(const std::string& file, const Checkpoint& checkpoint,
                        const RunTensors& tensors) {
  const int64_t step = checkpoint.training.step;
  restore_tensors(tensors_file(file, step), step, checkpoint.tensors_digest, tensors);
}

void remove_stray_tensors(const std::string& file, int64_t step) {
  const std::string prefix = fs::path(file).stem().string() + ".";
  const fs::path kept = tensors_file(file, step);
  std::error_code ignored;
  for_each_entry(folder_of(file), [&](const fs::directory_entry& entry) {
    const fs::path& path = entry.path();
    const bool of_this_run = path.filename().string().rfind(prefix, 0) == 0;
    if (of_this_run && path.extension() == ".safetensors" && path.filename() != kept.filename()) {
      fs::remove(path, ignored);
    }
  });
}

void remove_checkpoint(const std::string& file) {
  constexpr int64_t kNone = -1;
  std::error_code ignored;
  fs::remove(file, ignored);
  sync_folder_of(file);
  remove_stray_tensors(file, kNone);
}

void remove_outlived_checkpoint(const std::string& file) {
  try {
    const auto saved = read_checkpoint(file);
    if (!saved || saved->status == "ended") return;
  } catch (const UserError&) {
    return;
  }
  remove_checkpoint(file);
}

}  // namespace qkvlab

#include "training/checkpoint.hpp"

#include <ATen/ATen.h>
#include <torch/utils.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_difference.hpp"
#include "base/number_text.hpp"
#include "base/safetensors.hpp"
#include "base/text_file.hpp"

namespace qkvlab {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kFormat = 1;

std::string tensors_file(const std::string& file, const Checkpoint& checkpoint) {
  const std::string name =
      checkpoint.run + "." + std::to_string(checkpoint.training.step) + ".safetensors";
  return (fs::path(file).parent_path() / name).string();
}

/// Everything that a checkpoint keeps of a run, sharing its memory where it can.
NamedTensors tensors_of(const RunTensors& run) {
  NamedTensors tensors;
  for (const NamedValue& parameter : named_values(run.model)) {
    tensors.emplace_back(parameter.path, parameter.value);
  }
  for (auto& [name, value] : run.optimizer.state())
    tensors.emplace_back("optimizer." + name, value);
  if (run.random.scheme() == RandomScheme::kTorchStream) {
    tensors.emplace_back("random.stream", run.random.generator("").get_state());
  }
  return tensors;
}

DataType data_type(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kFloat:
      return DataType::kFloat32;
    case at::kDouble:
      return DataType::kFloat64;
    default:
      require(tensor.scalar_type() == at::kByte, "checkpoints hold floats and bytes");
      return DataType::kUint8;
  }
}

std::string shape_text(at::IntArrayRef shape) {
  std::string text = "[";
  for (const int64_t size : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(size);
  }
  return text + "]";
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
    text += R"({"split": )" + string_json(evaluation.split) + R"(, "loss": )" +
            number_json(evaluation.loss) + R"(, "metrics": )" + metrics + "}}";
  }
  return text + "]";
}

std::string checkpoint_text(const Checkpoint& checkpoint, const std::string& tensors) {
  std::string text = "{";
  append_member(text, "format", number_json(kFormat));
  append_member(text, "run", string_json(checkpoint.run));
  append_member(text, "status", string_json(checkpoint.status));
  append_member(text, "step", number_json(checkpoint.training.step));
  append_member(text, "tensors", string_json(fs::path(tensors).filename().string()));
  append_member(text, "records_length", number_json(checkpoint.records_length));
  append_member(text, "batch_digest", string_json(checkpoint.training.batch_digest));
  append_member(text, "evaluations", evaluations_json(checkpoint.training.evaluations));
  append_member(text, "wall_s", number_json(checkpoint.wall_s));
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
  evaluation.split = value.at("split").string();
  evaluation.loss = number_of(value.at("loss"));
  for (const auto& [name, metric] : value.at("metrics").members()) {
    evaluation.metrics.emplace_back(name, number_of(metric));
  }
  return evaluation;
}

}  // namespace

void save_checkpoint(const std::string& file, const Checkpoint& checkpoint,
                     const RunTensors& tensors) {
  const std::string path = tensors_file(file, checkpoint);
  NamedTensors held;  // on the CPU and contiguous, alive until they are written
  std::vector<TensorView> views;
  for (const auto& [name, tensor] : tensors_of(tensors)) {
    held.emplace_back(name, tensor.detach().cpu().contiguous());
    const at::Tensor& plain = held.back().second;
    views.push_back({name,
                     data_type(plain),
                     plain.sizes().vec(),
                     {static_cast<const char*>(plain.data_ptr()), plain.nbytes()}});
  }
  write_safetensors(path, views,
                    {{"format", "pt"}, {"step", std::to_string(checkpoint.training.step)}});
  AtomicFile json(file);
  json.write(checkpoint_text(checkpoint, path));
  json.commit();
  // Those of earlier steps, whatever ended this before it removed them.
  for (const auto& entry : fs::directory_iterator(fs::path(path).parent_path())) {
    const std::string name = entry.path().filename().string();
    const bool of_this_run = name.rfind(checkpoint.run + ".", 0) == 0;
    if (of_this_run && entry.path().extension() == ".safetensors" && entry.path() != path) {
      std::error_code ignored;
      fs::remove(entry.path(), ignored);
    }
  }
}

std::optional<Checkpoint> read_checkpoint(const std::string& file, const std::string& identity) {
  if (!fs::exists(file)) return {};
  const std::string text = read_text_file(file);
  const JsonValue json = parse_json(text, file);
  if (json.at("format").integer(1) > kFormat) {
    json.at("format").fail("was written by a newer qkvlab; this one reads " +
                           std::to_string(kFormat));
  }
  Checkpoint checkpoint;
  checkpoint.identity = identity;
  const auto difference = first_difference(json.at("identity"), parse_json(identity, "this config"),
                                           "in the checkpoint", "in the config");
  if (difference) throw UserError(file + ": does not belong to this config: " + *difference);
  checkpoint.run = json.at("run").string();
  if (checkpoint.run != fs::path(file).stem()) json.at("run").fail("must be the file's own name");
  checkpoint.status =
      json.at("status").one_of("status", {"running", "completed", "diverged", "interrupted"});
  checkpoint.training.step = json.at("step").integer(0);
  checkpoint.records_length = json.at("records_length").integer(0);
  checkpoint.training.batch_digest = json.at("batch_digest").string();
  for (const JsonValue& evaluation : json.at("evaluations").array()) {
    checkpoint.training.evaluations.push_back(evaluation_of(evaluation));
  }
  checkpoint.wall_s = json.at("wall_s").number();
  const std::string named = json.at("tensors").string();
  if (named != fs::path(tensors_file(file, checkpoint)).filename()) {
    json.at("tensors").fail("must be RUN.STEP.safetensors of this run and step");
  }
  json.refuse_unread_keys();
  return checkpoint;
}

void restore_tensors(const std::string& file, const Checkpoint& checkpoint,
                     const RunTensors& tensors) {
  const torch::NoGradGuard no_grad;
  const std::string path = tensors_file(file, checkpoint);
  const SafetensorsFile stored = read_safetensors(path);
  std::map<std::string, const StoredTensor*> by_name;
  for (const StoredTensor& tensor : stored.tensors) by_name[tensor.name] = &tensor;
  tensors.optimizer.make_state(checkpoint.training.step);
  for (auto& [name, target] : tensors_of(tensors)) {
    const auto found = by_name.find(name);
    if (found == by_name.end()) throw UserError(path + ": lacks the tensor " + name);
    const StoredTensor& tensor = *found->second;
    const std::string wanted = shape_text(target.sizes());
    if (tensor.shape != target.sizes().vec()) {
      throw UserError(path + ": " + name + " must be " + wanted + ", is " +
                      shape_text(tensor.shape));
    }
    at::Tensor plain = at::empty(target.sizes(), target.options().device(at::kCPU));
    if (tensor.type != data_type(plain)) {
      throw UserError(path + ": " + name + " has another type of numbers than the run's");
    }
    std::memcpy(plain.data_ptr(), tensor.bytes.data(), tensor.bytes.size());
    if (name == "random.stream") {
      tensors.random.generator("").set_state(plain);
    } else {
      target.copy_(plain);
    }
    by_name.erase(found);
  }
  if (!by_name.empty()) {
    throw UserError(path + ": holds the tensor " + by_name.begin()->first +
                    ", which this run does not have");
  }
}

}  // namespace qkvlab

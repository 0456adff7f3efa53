#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/number_text.hpp"
#include "base/paths.hpp"
#include "cli/ablation_plan_text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/terminal_style.hpp"
#include "config/ablation_plan.hpp"
#include "config/experiment_writer.hpp"
#include "config/input_files.hpp"
#include "config/memory.hpp"
#include "config/model_size.hpp"
#include "report/table.hpp"

namespace qkvlab {

namespace {

/// A config with what it costs.
struct Checked {
  ExperimentConfig config;
  TaskShape shape;
  ModelSize size;
  MemoryUse memory;                      // at its peak
  std::optional<AblationPlan> ablation;  // where it has a section of that name
};

/// The parameters by part, as the JSON output names them.
std::vector<std::pair<std::string, int64_t>> parts(const ModelSize& size) {
  return {{"token_embedding", size.token_embedding},
          {"position_embedding", size.position_embedding},
          {"attention", size.attention},
          {"mlp", size.mlp},
          {"norms", size.norms},
          {"head", size.head},
          {"total", size.parameters()}};
}

std::string check_text(const Checked& checked, const TextStyle& style) {
  Table parameters({{"parameters", Align::kLeft}, {""}});
  for (auto [name, count] : parts(checked.size)) {
    for (char& letter : name) letter = letter == '_' ? ' ' : letter;
    parameters.add_row({name, std::to_string(count)});
  }
  Table costs({{"", Align::kLeft}, {""}});
  costs.add_row({"tokens of the longest sequence", std::to_string(checked.shape.length)});
  costs.add_row({"FLOPs per token, forward", fixed(checked.size.forward_flops, 0)});
  costs.add_row({"FLOPs per token, training", fixed(checked.size.training_flops(), 0)});
  costs.add_row({"bytes of weights, gradients and optimizer",
                 std::to_string(state_bytes(checked.size, checked.config.training.optimizer))});
  Table memory({{"MB at the peak of training", Align::kLeft}, {""}});
  for (const MemoryPart& part : memory_parts()) {
    memory.add_row({part.words, fixed(checked.memory.*part.bytes / kMegabyte, 0)});
  }
  memory.add_row({"total", fixed(checked.memory.total() / kMegabyte, 0)});
  return config_text(checked.config) + "\n" + parameters.text(2, style) + "\n" +
         costs.text(2, style) + "\n" + memory.text(2, style) +
         (checked.ablation ? "\n" + ablation_plan_text(*checked.ablation, style) : "");
}

std::string check_json(const Checked& checked) {
  std::string json = "{\"config\": " + config_line(checked.config);
  json += ",\n \"shape\": {\"vocabulary\": " + std::to_string(checked.shape.vocabulary) +
          ", \"outputs\": " + std::to_string(checked.shape.outputs) +
          ", \"length\": " + std::to_string(checked.shape.length) + "}";
  json += ",\n \"parameters\": ";
  const char* before = "{";
  for (const auto& [name, count] : parts(checked.size)) {
    json += before;
    append_json_string(json, name);
    json += ": " + std::to_string(count);
    before = ", ";
  }
  json += "},\n \"flops_per_token\": {\"forward\": ";
  append_number(json, checked.size.forward_flops);
  json += ", \"training\": ";
  append_number(json, checked.size.training_flops());
  json += "},\n \"state_bytes\": " +
          std::to_string(state_bytes(checked.size, checked.config.training.optimizer));
  json += ",\n \"memory_mb\": {";
  for (const MemoryPart& part : memory_parts()) {
    append_json_string(json, part.name);
    json += ": " + fixed(checked.memory.*part.bytes / kMegabyte, 1) + ", ";
  }
  json += "\"total\": " + fixed(checked.memory.total() / kMegabyte, 1) + "}";
  json += ",\n \"ablation\": ";
  json += checked.ablation ? ablation_plan_json(*checked.ablation) : "null";
  return json + "}\n";
}

}  // namespace

void run_check(const CheckCommand& command) {
  const std::string file = find_input_file(command.config);
  PlannedConfig planned = read_planned_config(file, command.overrides);
  Checked checked;
  checked.config = std::move(planned.base.config);
  checked.shape = planned.base.task.shape;
  checked.size = model_size(checked.config.model, checked.shape);
  checked.memory = peak_memory(checked.config, checked.shape);
  checked.ablation = std::move(planned.ablation);
  std::vector<std::string> inputs = input_files(checked.config.task);
  inputs.push_back(file);
  Output output(command.out, inputs);
  const TextStyle style = text_style(command.out);
  output.write(command.format == Format::kJson ? check_json(checked)
                                               : in_style(check_text(checked, style), style));
  output.finish();
}

}  // namespace qkvlab

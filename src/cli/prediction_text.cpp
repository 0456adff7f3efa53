#include "cli/prediction_text.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "base/terminal.hpp"
#include "cli/matrix_section.hpp"
#include "layers/loss.hpp"
#include "report/table.hpp"
#include "report/text_block.hpp"

namespace qkvlab {

namespace {

constexpr size_t kMaxTokens = 24;  // of more, the first and the last half of these

at::Tensor tensor_named(const NamedTensors& tensors, const std::string& name) {
  for (const auto& [other, tensor] : tensors) {
    if (other == name) return tensor;
  }
  return {};
}

/// What a row of the model's probabilities [K] says of a target: it, its probability, the most
/// likely one and that one's.
std::vector<std::string> prediction_cells(const TraceRun& run, const at::Tensor& probabilities,
                                          int64_t target) {
  const auto best = probabilities.argmax().item<int64_t>();
  return {token_label(run.outputs.at(target)), fixed(probabilities[target].item<double>(), 4),
          token_label(run.outputs.at(best)), fixed(probabilities[best].item<double>(), 4)};
}

const std::vector<Table::Column>& prediction_columns() {
  static const std::vector<Table::Column> columns = {
      {"target", Align::kLeft}, {"p(target)"}, {"most likely", Align::kLeft}, {"p"}};
  return columns;
}

std::string tokens_table(const TraceRun& run, const at::Tensor& probabilities, bool per_token,
                         const TextStyle& style) {
  std::vector<Table::Column> columns = {{"position"}, {"token", Align::kLeft}, {"id"}};
  const std::vector<Table::Column>& asked = prediction_columns();
  if (per_token) columns.insert(columns.end(), asked.begin(), asked.end());
  Table table(columns, /*labels=*/2);
  const size_t count = run.tokens.size();
  for (size_t i = 0; i < count; ++i) {
    if (count > kMaxTokens && i >= kMaxTokens / 2 && i < count - kMaxTokens / 2) {
      if (i == kMaxTokens / 2) table.add_row(std::vector<std::string>(columns.size(), "…"));
      continue;
    }
    std::vector<std::string> row = {std::to_string(i), token_label(run.tokens[i]),
                                    std::to_string(run.token_ids[i])};
    if (per_token && run.targets[i] != kUnsupervised) {
      const at::Tensor said = probabilities[static_cast<int64_t>(i)];  // [K]
      for (std::string& cell : prediction_cells(run, said, run.targets[i])) {
        row.push_back(std::move(cell));
      }
    }
    row.resize(columns.size());
    table.add_row(std::move(row));
  }
  return table.text(2, style) + "\n";
}

}  // namespace

std::string token_label(const std::string& token) {
  if (token == " ") return "␣";
  if (token == "\n") return "↵";
  if (token == "\t") return "⇥";
  return shorten(printable(token), kMaxLabelWidth);
}

std::string prediction_text(const TraceRun& run, const TextStyle& style) {
  const at::Tensor probabilities = tensor_named(run.forward, "probabilities").cpu();
  const bool per_token = probabilities.dim() == 2;  // [T, K], or [K] of the sequence
  std::string text = fitted("── Sample " + std::to_string(run.sample.number + 1) +
                                (run.examples > 0 ? " of " + std::to_string(run.examples) : "") +
                                ", split " + run.sample.split + " ──",
                            2, style.width) +
                     "\n";
  text += tokens_table(run, probabilities, per_token, style);
  if (!per_token) {
    Table table(prediction_columns());
    table.add_row(prediction_cells(run, probabilities, run.targets.front()));
    text += table.text(2, style) + "\n";
  }
  const auto asked = std::count_if(run.targets.begin(), run.targets.end(),
                                   [](int64_t target) { return target != kUnsupervised; });
  const auto outputs = static_cast<double>(run.outputs.size());
  std::string words = asked == 1
                          ? "−log p(target)"
                          : "the mean of −log p(target) over " + std::to_string(asked) + " targets";
  words += "; a blind guess has log " + std::to_string(run.outputs.size()) + " = " +
           fixed(std::log(outputs), 6);
  return text +
         fitted("loss  " + fixed(run.loss.item<double>(), 6) + "  " + words, 2, style.width) + "\n";
}

}  // namespace qkvlab

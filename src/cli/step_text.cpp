#include "cli/step_text.hpp"

#include <ATen/ATen.h>

#include "base/number_text.hpp"
#include "cli/matrix_section.hpp"
#include "report/table.hpp"
#include "report/text_block.hpp"

namespace qkvlab {

namespace {

constexpr int kDigits = 4;

std::string norm_text(const at::Tensor& tensor) {
  return tensor.defined() ? significant(tensor.norm().item<double>(), kDigits) : "none";
}

}  // namespace

std::string step_text(const ExperimentConfig& config, const TraceRun& run, const TextStyle& style) {
  const std::string kind =
      std::visit([](const auto& one) { return std::string(one.kKind); }, config.training.optimizer);
  Table table({{"parameter", Align::kLeft},
               {"shape", Align::kLeft},
               {"‖value‖"},
               {"‖gradient‖"},
               {"largest |change|"}});
  double largest = -1;
  std::string where;
  for (size_t i = 0; i < run.initial.size(); ++i) {
    const NamedValue& before = run.initial[i];
    const double change = (run.after_step[i].value - before.value).abs().max().item<double>();
    if (change > largest) {
      largest = change;
      where = before.path;
    }
    table.add_row({before.path, shape_text(before.value.sizes()), norm_text(before.value),
                   norm_text(run.after_backward[i].gradient), significant(change, kDigits)});
  }
  const auto& clip = config.training.grad_clip;
  const bool clipped = clip && run.grad_norm > *clip;
  const auto line = [&style](const std::string& text) { return fitted(text, 2, style.width); };
  return line("── Backward pass, and one step of " + kind + " with lr " + significant(run.lr, 6) +
              " ──") +
         "\n" + table.text(2, style) + "\n" +
         line("‖gradient‖ of all   " + significant(run.grad_norm, kDigits) +
              (clipped ? ", clipped to " + significant(*clip, kDigits) : "")) +
         line("largest |change|    " + significant(largest, kDigits) + " in " + where) +
         line("loss of the sample  " + fixed(run.loss.item<double>(), 6) + " before the step, " +
              fixed(run.loss_after, 6) + " after it");
}

}  // namespace qkvlab

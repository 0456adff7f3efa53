#include "training/evaluation.hpp"

#include <ATen/ATen.h>
#include <torch/utils.h>

#include <algorithm>

#include "base/error.hpp"
#include "training/supervised.hpp"

namespace qkvlab {

namespace {

struct Counts {
  double loss = 0;  // summed
  int64_t positions = 0, right = 0;
  int64_t sequences = 0, exact = 0;
};

void count_exact(const Batch& batch, const Questions& questions, const at::Tensor& right,
                 Counts& counts) {
  at::Tensor wrong = ~right;  // [N]
  if (questions.rows.defined()) {
    wrong = at::zeros({batch.targets.numel()}, right.options());  // [B * T]
    wrong.index_put_({questions.rows}, ~right);
  }
  const at::Tensor wrong_sequences = wrong.view(batch.targets.sizes()).any(-1);  // [B]
  counts.sequences += batch.targets.size(0);
  counts.exact += batch.targets.size(0) - wrong_sequences.sum().item<int64_t>();
}

}  // namespace

std::vector<std::string> metric_names(const Task& task) {
  if (task.has_long_answers()) return {"accuracy", "exact"};
  return {"accuracy"};
}

std::vector<int64_t> evaluation_starts(int64_t examples, int64_t batch_size,
                                       std::optional<int64_t> batches) {
  const int64_t all = (examples + batch_size - 1) / batch_size;
  const int64_t taken = std::min(all, batches.value_or(all));
  std::vector<int64_t> starts;
  for (int64_t i = 0; i < taken; ++i) starts.push_back(i * all / taken * batch_size);
  return starts;
}

Evaluation evaluate(const ModelImpl& model, const Task& task, Split split, int64_t batch_size,
                    std::optional<int64_t> batches) {
  const torch::NoGradGuard no_grad;
  require(task.examples(split) > 0, "an evaluation needs a split with a number of examples");
  // Where training draws its examples anywhere they overlap: those side by side are enough.
  const bool overlap = split == Split::kTrain && task.sampling() == Sampling::kAnywhere;
  const int64_t stride = overlap ? task.shape().length : 1;
  const int64_t examples = (task.examples(split) + stride - 1) / stride;
  const at::Device device = model.parameters().front().device();
  Counts counts;
  for (const int64_t start : evaluation_starts(examples, batch_size, batches)) {
    std::vector<int64_t> numbers(std::min(batch_size, examples - start));
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = (start + static_cast<int64_t>(i)) * stride;
    }
    const Batch batch = task.batch(split, numbers);
    const Questions questions = questions_of(batch, device);
    const at::Tensor logits = answer(model, questions);  // [N, K]
    const at::Tensor losses =
        at::cross_entropy_loss(logits, questions.targets, {}, at::Reduction::None);  // [N]
    const at::Tensor right = logits.argmax(-1) == questions.targets;                 // [N]
    counts.loss += losses.sum(at::kDouble).item<double>();
    counts.positions += right.numel();
    counts.right += right.sum().item<int64_t>();
    if (task.has_long_answers()) count_exact(batch, questions, right, counts);
  }
  const auto positions = static_cast<double>(std::max<int64_t>(counts.positions, 1));
  Evaluation result;
  result.split = task.split_name(split);
  result.loss = counts.loss / positions;
  result.metrics = {{"accuracy", static_cast<double>(counts.right) / positions}};
  if (task.has_long_answers()) {
    result.metrics.emplace_back(
        "exact", static_cast<double>(counts.exact) / static_cast<double>(counts.sequences));
  }
  return result;
}

}  // namespace qkvlab

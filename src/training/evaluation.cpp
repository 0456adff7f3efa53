#include "training/evaluation.hpp"

#include <ATen/ATen.h>
#include <torch/utils.h>

#include <algorithm>

#include "base/error.hpp"
#include "layers/loss.hpp"
#include "layers/tensor_values.hpp"
#include "training/group_batches.hpp"
#include "training/supervised.hpp"

namespace qkvlab {

namespace {

struct Counts {
  double loss = 0;  // summed
  int64_t asked = 0;
  int64_t right = 0;
  int64_t exact = 0;  // sequences
};

/// Of each run how many sequences have no wrong answer. `wrong_answers` is [R, N], with R = 1 for a
/// single model, as in all of these.
at::Tensor exact_sequences(const Batch& batch, const Questions& questions,
                           const at::Tensor& wrong_answers) {
  const int64_t runs = wrong_answers.size(0);
  const int64_t length = batch.targets.size(-1);
  at::Tensor wrong = wrong_answers;
  if (questions.rows.defined()) {
    const int64_t positions = batch.input.tokens.size(-2) * length;
    wrong = at::zeros({runs, positions}, wrong.options());  // [R, B * T]
    wrong.scatter_(1, questions.rows.expand_as(wrong_answers), wrong_answers);
  }
  return (~wrong.view({runs, -1, length}).any(-1)).sum(-1);
}

/// Adds a batch to the counts of each run.
void count(const ModelImpl& model, at::Device device, const Batch& batch, bool long_answers,
           std::vector<Counts>& counts) {
  const Questions questions = questions_of(batch, device);
  const at::Tensor answers = answer(model, questions);  // [N, K] or [R, N, K]
  const at::Tensor logits = answers.dim() == 3 ? answers : answers.unsqueeze(0);
  const at::Tensor targets = questions.targets.expand({logits.size(0), logits.size(1)});
  const at::Tensor losses =
      at::cross_entropy_loss(logits.flatten(0, 1), targets.flatten(), {}, at::Reduction::None)
          .view_as(targets)
          .sum(-1, /*keepdim=*/false, at::kDouble);       // [R]
  const at::Tensor asked = targets != kUnsupervised;      // [R, N]
  const at::Tensor right = logits.argmax(-1) == targets;  // [R, N]
  const std::vector<double> asks = double_values(asked.sum(-1));
  const std::vector<double> loss = double_values(losses);
  const std::vector<double> rights = double_values(right.sum(-1));
  const std::vector<double> exact =
      long_answers ? double_values(exact_sequences(batch, questions, asked & ~right))
                   : std::vector<double>();
  for (size_t run = 0; run < counts.size(); ++run) {
    counts[run].loss += loss[run];
    counts[run].asked += static_cast<int64_t>(asks[run]);
    counts[run].right += static_cast<int64_t>(rights[run]);
    if (long_answers) counts[run].exact += static_cast<int64_t>(exact[run]);
  }
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

std::vector<Evaluation> evaluate(const ModelImpl& model, const std::vector<const Task*>& tasks,
                                 Split split, int64_t batch_size, std::optional<int64_t> batches) {
  const torch::NoGradGuard no_grad;
  const at::Device device = model.parameters().front().device();
  const Task& task = *tasks.front();
  require(task.examples(split) > 0, "an evaluation needs a split with a number of examples");
  // Where training draws its examples anywhere they overlap: those side by side are enough.
  const bool overlap = split == Split::kTrain && task.sampling() == Sampling::kAnywhere;
  const int64_t stride = overlap ? task.shape().length : 1;
  const int64_t examples = (task.examples(split) + stride - 1) / stride;
  std::vector<Counts> counts(std::max<int64_t>(model.replicas(), 1));
  int64_t sequences = 0;
  for (const int64_t start : evaluation_starts(examples, batch_size, batches)) {
    std::vector<int64_t> numbers(std::min(batch_size, examples - start));
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = (start + static_cast<int64_t>(i)) * stride;
    }
    const Batch batch = group_batch(tasks, split, {numbers});
    count(model, device, batch, task.has_long_answers(), counts);
    sequences += static_cast<int64_t>(numbers.size());
  }
  std::vector<Evaluation> evaluations;
  for (const Counts& run : counts) {
    const auto asked = static_cast<double>(std::max<int64_t>(run.asked, 1));
    Evaluation result;
    result.split = task.split_name(split);
    result.loss = run.loss / asked;
    result.metrics = {{"accuracy", static_cast<double>(run.right) / asked}};
    if (task.has_long_answers()) {
      result.metrics.emplace_back("exact",
                                  static_cast<double>(run.exact) / static_cast<double>(sequences));
    }
    evaluations.push_back(std::move(result));
  }
  return evaluations;
}

}  // namespace qkvlab

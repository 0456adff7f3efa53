#include "config/experiment_checks.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "base/number_text.hpp"
#include "base/spelling.hpp"
#include "config/document_place.hpp"
#include "config/field_types.hpp"
#include "config/memory.hpp"

namespace qkvlab {

namespace {

/// Whether a task says how many training examples it has.
template <typename T, typename = void>
struct HasTrainExamples : std::false_type {};
template <typename T>
struct HasTrainExamples<T, std::void_t<decltype(T::train_examples)>> : std::true_type {};

/// Complaints about a config at their places in its document.
class Checker {
 public:
  Checker(const JsonValue& document, const ExperimentConfig& config)
      : document_(document), config_(config) {}

  void check_fields() const {
    check_name();
    std::visit([&](const auto& task) { check_task(task); }, config_.task);
    std::visit([&](const auto& model) { check_model(model); }, config_.model);
    check_training();
    check_device();
  }

  void check_shape(const TaskShape& shape) const {
    std::visit([&](const auto& model) { check_fit(model, shape); }, config_.model);
    check_limits(shape);
    check_target();
  }

 private:
  [[noreturn]] void fail(const std::string& path, const std::string& complaint) const {
    fail_at_path(document_, path, complaint);
  }
  void need(bool holds, const std::string& path, const std::string& complaint) const {
    if (!holds) fail(path, complaint);
  }
  static std::string got(int64_t value) { return ", got " + std::to_string(value); }

  /// It names a folder below runs/.
  void check_name() const {
    const std::string& name = config_.name;
    const bool plain = std::none_of(name.begin(), name.end(), [](char letter) {
      return letter == '/' || (letter >= 0 && letter < ' ');
    });
    need(!name.empty() && name != "." && name != ".." && plain, "name",
         "must be a name for a folder, without '/' and control characters");
  }

  template <typename T>
  void check_task(const T& /*task*/) const {}

  void check_task(const SequenceTask& task) const {
    need(task.rule != SequenceRule::kSwapHalves || task.length % 2 == 0, "task.length",
         "must be even for the rule swap_halves" + got(task.length));
  }

  /// A sequence is `pairs` keys and values, then (length − 2 pairs) / 2 slots, of which each pair's
  /// query takes one. Keys are drawn without replacement from 1 to V/2 − 1, values from V/2 to
  /// V − 1.
  void check_task(const RecallTask& task) const {
    need(task.vocabulary % 2 == 0, "task.vocabulary", "must be even" + got(task.vocabulary));
    need(task.vocabulary / 2 - 1 >= task.pairs, "task.vocabulary",
         "must be at least " + std::to_string(2 * task.pairs + 2) + ", for " +
             std::to_string(task.pairs) + " different keys beside the filler" +
             got(task.vocabulary));
    need(task.length % 2 == 0, "task.length", "must be even" + got(task.length));
    need(task.length >= 4 * task.pairs, "task.length",
         "must be at least four times task.pairs (" + std::to_string(task.pairs) + ")" +
             got(task.length));
  }

  void check_task(const MajorityTask& task) const {
    need(task.symbols <= task.length, "task.symbols",
         "must be at most task.length (" + std::to_string(task.length) +
             "), since more would seldom occur twice" + got(task.symbols));
  }

  void check_model(const TransformerConfig& model) const {
    need(model.d_model % model.n_heads == 0, "model.n_heads",
         "must divide model.d_model (" + std::to_string(model.d_model) + ")" + got(model.n_heads));
    need(!model.tie_head || model.embedding == EmbeddingKind::kLookup, "model.tie_head",
         "must be false where model.embedding is one_hot, got true");
    check_recorded("layers", config_.record.attention.layers, model.n_layers);
    check_recorded("heads", config_.record.attention.heads, model.n_heads);
  }

  void check_model(const SentimentTraceConfig& /*model*/) const {
    check_recorded("layers", config_.record.attention.layers, 1);
    check_recorded("heads", config_.record.attention.heads, 1);
  }

  void check_recorded(const std::string& what, const std::vector<int64_t>& numbers,
                      int64_t count) const {
    for (const int64_t number : numbers) {
      need(number < count, "record.attention." + what,
           "must be below " + std::to_string(count) + ", the number of " + what + " of the model" +
               got(number));
    }
  }

  void check_training() const {
    const TrainingConfig& training = config_.training;
    need(training.steps || training.epochs, "training", "must have one of steps and epochs");
    need(!training.steps || !training.epochs, "training.epochs",
         "cannot be combined with training.steps");
    std::visit([&](const auto& task) { check_epochs(task); }, config_.task);
    if (const auto* sgd = std::get_if<SgdConfig>(&training.optimizer)) {
      need(!sgd->nesterov || sgd->momentum > 0, "training.optimizer.nesterov",
           "must be false where training.optimizer.momentum is 0, got true");
    }
    std::visit(
        [&](const WarmUp& schedule) {
          need(!training.steps || schedule.warmup_steps == 0 ||
                   schedule.warmup_steps < *training.steps,
               "training.schedule.warmup_steps",
               "must be below training.steps" + got(schedule.warmup_steps));
          need(schedule.warmup_steps == 0 || schedule.warmup_fraction == 0,
               "training.schedule.warmup_fraction",
               "cannot be combined with training.schedule.warmup_steps");
        },
        training.schedule);
  }

  template <typename T>
  void check_epochs(const T& task) const {
    if constexpr (HasTrainExamples<T>::value) {
      need(!config_.training.epochs || task.train_examples > 0, "training.epochs",
           "needs a task.train_examples above 0, or there is nothing to go through twice; "
           "training.steps does without");
      need(!config_.training.evaluate.train || task.train_examples > 0, "training.evaluate.train",
           "needs a task.train_examples above 0, or no example of training stays to be evaluated");
    }
    need(!config_.training.epochs || !std::is_same_v<T, TextTask>, "training.epochs",
         "cannot be counted in a text, whose windows are drawn anywhere; training.steps can");
  }

  void check_device() const {
    const std::string& device = config_.run.device;
    const std::string cuda = "cuda:";
    const bool is_cuda = device.rfind(cuda, 0) == 0;
    const int64_t number = is_cuda ? parse_integer(device.substr(cuda.size())).value_or(-1) : -1;
    const bool known =
        device == "cpu" || (number >= 0 && number < 128 && device == cuda + std::to_string(number));
    need(known, "run.device",
         "must be cpu, or cuda: and a number such as cuda:0, got '" + device + "'");
  }

  void check_fit(const TransformerConfig& model, const TaskShape& shape) const {
    need(model.position == PositionKind::kNone || shape.length <= model.max_length,
         "model.max_length",
         "must be at least " + std::to_string(shape.length) +
             ", the tokens of the task's longest " + "sequence" + got(model.max_length));
    need(!model.tie_head || shape.outputs == shape.vocabulary, "model.tie_head",
         "must be false where the task has another number of outputs (" +
             std::to_string(shape.outputs) + ") than tokens (" + std::to_string(shape.vocabulary) +
             "), got true");
    if (shape.per_token) {
      need(model.output == OutputKind::kToken, "model.output",
           "must be token or auto where every token has a target");
    } else {
      need(model.output != OutputKind::kToken, "model.output",
           "must be last, mean or auto where a sequence has one class");
    }
  }

  void check_fit(const SentimentTraceConfig& /*model*/, const TaskShape& shape) const {
    need(!shape.per_token, "model.kind",
         "must be transformer where every token has a target; sentiment_trace gives one class per "
         "sequence");
  }

  void check_limits(const TaskShape& shape) const {
    const int64_t length_limit = config_.limits.tokens_per_sequence;
    need(shape.length <= length_limit, length_key(),
         "makes sequences of " + std::to_string(shape.length) + " tokens, allowed are at most " +
             std::to_string(length_limit) + " (limits.tokens_per_sequence)");
    // Of all forward passes of a step, whose tokens are there at once.
    const TrainingConfig& training = config_.training;
    const double tokens = static_cast<double>(training.batch_size) *
                          static_cast<double>(training.accumulate) *
                          static_cast<double>(shape.length);
    const int64_t batch_limit = config_.limits.tokens_per_batch;
    need(tokens <= static_cast<double>(batch_limit),
         training.batch_size > 1 ? "training.batch_size" : "training.accumulate",
         "makes steps of " + fixed(tokens, 0) + " tokens, allowed are at most " +
             std::to_string(batch_limit) + " (limits.tokens_per_batch)");
    check_memory(shape);
  }

  void check_memory(const TaskShape& shape) const {
    const MemoryUse use = peak_memory(config_, shape);
    const double needed = use.total() / kMegabyte;
    if (needed <= static_cast<double>(config_.limits.memory_mb)) return;
    const auto& parts = memory_parts();
    const MemoryPart& most = *std::max_element(
        parts.begin(), parts.end(),
        [&](const auto& a, const auto& b) { return use.*a.bytes < use.*b.bytes; });
    fail(key_that_takes(most.bytes),
         "the run would need about " + fixed(needed, 0) + " MB, allowed are at most " +
             std::to_string(config_.limits.memory_mb) + " (limits.memory_mb); most of it, " +
             fixed(use.*most.bytes / kMegabyte, 0) + " MB, is for " + most.words);
  }

  /// The key to make smaller where that part of a run takes too much.
  std::string key_that_takes(double MemoryUse::*part) const {
    if (part == &MemoryUse::attention) return length_key();
    if (part == &MemoryUse::hidden) return hidden_key();
    if (part == &MemoryUse::state) return "model.d_model";
    if (part == &MemoryUse::process) return "limits.memory_mb";
    if (part == &MemoryUse::data) return "task";
    return "training.batch_size";
  }

  /// The key that says how wide the MLP is within.
  std::string hidden_key() const {
    const auto* model = std::get_if<TransformerConfig>(&config_.model);
    const bool by_itself = model != nullptr && model->mlp && model->mlp->hidden;
    return by_itself ? "model.mlp.hidden" : "model.mlp.ratio";
  }

  /// The key that says how long the task's sequences are.
  std::string length_key() const {
    if (std::holds_alternative<SentencesTask>(config_.task)) return "task.file";
    if (std::holds_alternative<TextTask>(config_.task)) return "task.context";
    const bool has_no_length = std::holds_alternative<ModularAdditionTask>(config_.task) ||
                               std::holds_alternative<CoreferenceTask>(config_.task);
    return has_no_length ? "task.kind" : "task.length";
  }

  void check_target() const {
    if (!config_.training.target) return;
    std::vector<std::string> metrics = {"loss", "accuracy"};
    // An answer of one token is right as a whole where it is right.
    const auto* sequence = std::get_if<SequenceTask>(&config_.task);
    if (sequence != nullptr && sequence->length > 1) metrics.emplace_back("exact");
    std::vector<std::string> allowed;
    for (const std::string& split : evaluated_splits()) {
      for (const std::string& metric : metrics) allowed.push_back(split + "." + metric);
    }
    const std::string& metric = config_.training.target->metric;
    need(std::find(allowed.begin(), allowed.end(), metric) != allowed.end(),
         "training.target.metric", unknown_name("metric", metric, allowed));
    need(config_.training.evaluate.every > 0, "training.target",
         "needs training.evaluate.every above 0, or it is never looked at before the end");
  }

  std::vector<std::string> evaluated_splits() const {
    const auto* sentences = std::get_if<SentencesTask>(&config_.task);
    if (sentences != nullptr && !sentences->test_file) return {"train"};
    std::vector<std::string> splits = {std::holds_alternative<TextTask>(config_.task) ? "validation"
                                                                                      : "test"};
    if (config_.training.evaluate.train) splits.emplace_back("train");
    return splits;
  }

  const JsonValue& document_;
  const ExperimentConfig& config_;
};

}  // namespace

void check_fields(const JsonValue& document, const ExperimentConfig& config) {
  Checker(document, config).check_fields();
}

void check_shape(const JsonValue& document, const ExperimentConfig& config,
                 const TaskShape& shape) {
  Checker(document, config).check_shape(shape);
}

}  // namespace qkvlab

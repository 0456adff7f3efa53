#include "config/memory.hpp"

#include <algorithm>
#include <variant>
#include <vector>

namespace qkvlab {

namespace {

constexpr double kFloat = sizeof(float);
constexpr double kInteger = sizeof(int64_t);

/// Resident after the smallest run there is (configs/sentiment.json, three steps), almost all of it
/// code and tables of the libraries. Measured with LibTorch 1.13.1 and OpenBLAS 0.3.21 of Debian 12
/// on x86-64, November 2026: 174 MB, and 3 to 6 MB more once OpenBLAS has packed matrices that do
/// not fit its caches.
constexpr double kProcess = 178e6;

int64_t numbers_kept(const SgdConfig& sgd) { return sgd.momentum > 0 ? 1 : 0; }
int64_t numbers_kept(const AdamConfig& /*adam*/) { return 2; }
int64_t numbers_kept(const AdamWConfig& /*adam*/) { return 2; }

int64_t numbers_kept(const OptimizerConfig& optimizer) {
  return std::visit([](const auto& typed) { return numbers_kept(typed); }, optimizer);
}

/// How many tokens of a sequence have a target.
template <typename T>
int64_t targets_of(const T& /*task*/, const TaskShape& shape) {
  return shape.per_token ? shape.length : 1;
}
int64_t targets_of(const SequenceTask& task, const TaskShape&) { return task.length; }
int64_t targets_of(const RecallTask& task, const TaskShape&) { return task.pairs; }
int64_t targets_of(const InductionTask&, const TaskShape&) { return 1; }
int64_t targets_of(const ModularAdditionTask&, const TaskShape&) { return 1; }
int64_t targets_of(const CoreferenceTask&, const TaskShape&) { return 1; }

/// Bytes of a task's examples, beside those of its files.
template <typename T>
double bytes_of(const T& /*task*/, RandomScheme /*scheme*/) {
  return 0;
}
/// Under torch_stream all questions are drawn at once.
double bytes_of(const SequenceTask& task, RandomScheme scheme) {
  if (scheme != RandomScheme::kTorchStream || task.train_examples == 0 || task.held_out) return 0;
  return kInteger * static_cast<double>((task.train_examples + task.test_examples) * task.length);
}

/// The examples that a run has an order of, epoch by epoch: those of a task that draws them.
template <typename T>
int64_t ordered_examples(const T& task) {
  return task.train_examples;
}
int64_t ordered_examples(const SentencesTask& /*task*/) { return 0; }
int64_t ordered_examples(const TextTask& /*task*/) { return 0; }
int64_t ordered_examples(const ModularAdditionTask& task) { return task.modulus * task.modulus; }

/// The sizes of a model's tensors for one batch, in bytes.
struct Sizes {
  double scores = 0;   // [B, H, T, T]
  double hidden = 0;   // [B, T, F]
  double stream = 0;   // [B, T, C]
  double logits = 0;   // [N, K], of the tokens with targets
  double targets = 0;  // [N, C], the same tokens before the head
  double one_hot = 0;  // [B, T, V]
  double table = 0;    // [V, C]
  double head = 0;     // [K, C]
};

/// What both kinds of model are to this count.
struct Model {
  TransformerConfig config;
  bool has_norms_and_output = true;  // the sentence classifier is a block without
  bool in_loops = false;             // the loss is computed by loops of our own,
  bool short_attention = false;      // and so is attention
  bool accumulates = false;          // adds up the gradients of several passes
};

Model model_of(const TransformerConfig& config) { return {config}; }
Model model_of(const SentimentTraceConfig& trace) {
  TransformerConfig config;
  config.d_model = trace.d_model;
  config.n_layers = config.n_heads = 1;
  config.attention = trace.attention;
  config.mlp.reset();
  return {config, false};
}

Sizes sizes_of(const TransformerConfig& model, const TaskConfig& task, const TaskShape& shape,
               int64_t sequences) {
  const auto batch = static_cast<double>(sequences), length = static_cast<double>(shape.length);
  const auto width = static_cast<double>(model.d_model);
  const double targets =
      batch * static_cast<double>(
                  std::visit([&](const auto& typed) { return targets_of(typed, shape); }, task));
  Sizes sizes;
  sizes.stream = kFloat * batch * length * width;
  sizes.scores = kFloat * batch * static_cast<double>(model.n_heads) * length * length;
  if (model.mlp) {
    sizes.hidden =
        kFloat * batch * length * static_cast<double>(hidden_width(*model.mlp, model.d_model));
  }
  sizes.logits = kFloat * targets * static_cast<double>(shape.outputs);
  sizes.targets = kFloat * targets * width;
  sizes.table = kFloat * static_cast<double>(shape.vocabulary) * width;
  sizes.head = kFloat * static_cast<double>(shape.outputs) * width;
  if (model.embedding == EmbeddingKind::kOneHot) {
    sizes.one_hot = kFloat * batch * length * static_cast<double>(shape.vocabulary);
  }
  return sizes;
}

/// What autograd keeps of the attention sublayer of one block.
MemoryUse kept_by_attention(const Model& model, const Sizes& sizes) {
  const TransformerConfig& config = model.config;
  const ProjectionPlan& plan = config.attention.plan;
  MemoryUse kept;
  if (!plan.attends) return kept;
  const auto [query, key, value] = plan.resolved();
  const bool constant_scores = query == Source::kZero && key == Source::kZero;
  // The residual stream and its norm (or the norm and the sum it is of), and what the output
  // projection multiplies.
  kept.stream = (model.has_norms_and_output ? 3 : 1) * sizes.stream;
  // Query, key and value for the products. By LibTorch's operations several heads are copied apart,
  // each of the three; one head's, and those of our loops, are the projections themselves.
  if (!constant_scores) {
    const auto learned = static_cast<double>(plan.learned().size());
    kept.stream += (config.n_heads > 1 && !model.short_attention ? 3 : learned) * sizes.stream;
  }
  // The softmax's output; beside it the mask of its dropout and what that leaves, of which our
  // loops keep the mask alone. Constant scores have no gradient that would ask for more than what
  // multiplies the values.
  const bool drops = config.dropout.attention > 0 && !constant_scores;
  kept.attention = (!drops ? 1 : model.short_attention ? 2 : 3) * sizes.scores;
  if (config.dropout.residual > 0) kept.stream += sizes.stream;  // the mask
  return kept;
}

/// The same of the MLP.
MemoryUse kept_by_mlp(const TransformerConfig& config, const Sizes& sizes) {
  MemoryUse kept;
  if (!config.mlp) return kept;
  kept.stream = 2 * sizes.stream;  // the stream and its norm, as above
  // What the second layer multiplies: ReLU's own output, or beside it the input of GELU.
  kept.hidden = (config.mlp->activation == Activation::kGelu ? 2 : 1) * sizes.hidden;
  if (config.dropout.residual > 0) kept.stream += sizes.stream;
  return kept;
}

MemoryUse operator+(MemoryUse a, const MemoryUse& b) {
  for (const MemoryPart& part : memory_parts()) a.*part.bytes += b.*part.bytes;
  return a;
}

MemoryUse operator*(double times, MemoryUse use) {
  for (const MemoryPart& part : memory_parts()) use.*part.bytes *= times;
  return use;
}

MemoryUse kept_by_block(const Model& model, const Sizes& sizes) {
  return kept_by_attention(model, sizes) + kept_by_mlp(model.config, sizes);
}

/// What of a block lives until its forward pass has ended, beside what is kept: the raw and the
/// masked scores, query, key and value before their heads were copied apart, what the sublayers
/// return, and ReLU's input.
MemoryUse passing_of_forward(const Model& model, const Sizes& sizes) {
  const TransformerConfig& config = model.config;
  MemoryUse passing;
  if (config.attention.plan.attends) {
    passing.attention = (model.short_attention ? 0 : 2) * sizes.scores;
    passing.stream = (config.n_heads > 1 && !model.short_attention ? 5 : 1) * sizes.stream;
  }
  if (config.mlp) {
    passing.stream += sizes.stream;
    if (config.mlp->activation == Activation::kRelu) passing.hidden = sizes.hidden;
  }
  return passing;
}

/// The moments of a forward and a backward pass at which most is alive, beside what always is.
std::vector<MemoryUse> moments_of_a_pass(const Model& model, const Sizes& sizes, double weights) {
  const TransformerConfig& config = model.config;
  const MemoryUse block = kept_by_block(model, sizes);
  MemoryUse kept = static_cast<double>(config.n_layers) * block;
  kept.vocabulary += sizes.one_hot;
  if (config.dropout.embedding > 0) kept.stream += sizes.stream;

  // One-hot tokens are integers first.
  MemoryUse embedding;
  embedding.vocabulary = (kInteger + kFloat) / kFloat * sizes.one_hot;

  MemoryUse forward = kept + passing_of_forward(model, sizes);

  // The last block's output, and what the head multiplies; logits and log-probabilities, and the
  // gradients of both. Our own loss keeps the gradient of the logits and nothing else; the share of
  // a pass among several is another copy.
  MemoryUse loss = kept;
  loss.stream += sizes.stream + 2 * sizes.targets;
  loss.vocabulary += (!model.in_loops ? 4 : model.accumulates ? 3 : 2) * sizes.logits;

  // In a block's backward pass: the gradients of what the MLP's second layer multiplies and, where
  // ReLU's output is needed for it, of its input; those of the stream, of what is added to it and
  // of a product within; and the logits, which are held until the end. (The gradients of scores
  // take no more than the scores took that the forward pass has given up.) In the first block
  // the others have given up what was kept of them, and the gradients of their weights are there.
  MemoryUse gradients;
  gradients.stream = 3 * sizes.stream;
  if (config.mlp) {
    gradients.hidden = (config.mlp->activation == Activation::kRelu ? 2 : 1) * sizes.hidden;
  }
  gradients.vocabulary = sizes.logits;
  MemoryUse last_block = kept + gradients;
  MemoryUse first_block = block + gradients;
  first_block.state += weights;
  first_block.vocabulary += sizes.one_hot;
  // Last the gradient of the table, beside which that of a tied head waits, and their sum.
  MemoryUse table;
  table.state = weights + (config.tie_head ? 2 : 0) * sizes.table;
  table.stream = 2 * sizes.stream;
  table.vocabulary = sizes.logits + sizes.one_hot;
  if (model.accumulates) {
    // The gradients of the passes before, and those of a layer in this one.
    for (MemoryUse* moment : {&embedding, &forward, &loss, &last_block}) moment->state += weights;
    table.state += sizes.table;
    if (config.tie_head) last_block.state += sizes.head;
  } else {
    last_block.state += sizes.head;
  }
  return {embedding, forward, loss, last_block, first_block, table};
}

/// The largest tensor of weights, of which Adam's step makes two more.
double largest_parameter(const TransformerConfig& config, const TaskShape& shape) {
  const int64_t c = config.d_model;
  int64_t largest = std::max(shape.vocabulary, config.tie_head ? 0 : shape.outputs) * c;
  if (config.position == PositionKind::kLearned) largest = std::max(largest, config.max_length * c);
  if (config.attention.plan.attends) largest = std::max(largest, c * c);
  if (config.mlp) largest = std::max(largest, hidden_width(*config.mlp, c) * c);
  return kFloat * static_cast<double>(largest);
}

}  // namespace

int64_t state_bytes(const ModelSize& size, const OptimizerConfig& optimizer) {
  return size.parameters() * (2 + numbers_kept(optimizer)) * static_cast<int64_t>(sizeof(float));
}

const std::vector<MemoryPart>& memory_parts() {
  static const std::vector<MemoryPart> parts = {
      {&MemoryUse::process, "process", "the program itself"},
      {&MemoryUse::data, "data", "the task's data"},
      {&MemoryUse::state, "state", "weights, gradients and optimizer"},
      {&MemoryUse::attention, "attention", "attention weights"},
      {&MemoryUse::hidden, "hidden", "hidden values of the MLP"},
      {&MemoryUse::stream, "stream", "activations as wide as the model"},
      {&MemoryUse::vocabulary, "vocabulary", "logits and one-hot tokens"}};
  return parts;
}

double MemoryUse::total() const {
  double sum = 0;
  for (const MemoryPart& part : memory_parts()) sum += this->*part.bytes;
  return sum;
}

MemoryUse peak_memory(const ExperimentConfig& config, const TaskShape& shape) {
  const TrainingConfig& training = config.training;
  Model model = std::visit([](const auto& typed) { return model_of(typed); }, config.model);
  model.in_loops = config.random.scheme == RandomScheme::kKeyed && config.run.device == "cpu";
  model.short_attention = model.in_loops && shape.length <= kLongestShortAttention;
  model.accumulates = training.accumulate > 1;
  const double weights = kFloat * static_cast<double>(model_size(config.model, shape).parameters());

  MemoryUse always;
  always.process = kProcess;
  always.state = weights * static_cast<double>(1 + numbers_kept(training.optimizer));
  always.data =
      static_cast<double>(shape.file_bytes) +
      std::visit([&](const auto& task) { return bytes_of(task, config.random.scheme); },
                 config.task) +
      kInteger * static_cast<double>(std::visit(
                     [](const auto& task) { return ordered_examples(task); }, config.task));
  // Token ids and targets of all forward passes of a step.
  always.data += 2 * kInteger * static_cast<double>(training.batch_size) *
                 static_cast<double>(training.accumulate) * static_cast<double>(shape.length);

  std::vector<MemoryUse> moments = moments_of_a_pass(
      model, sizes_of(model.config, config.task, shape, training.batch_size), weights);

  MemoryUse update;
  update.state = weights;
  if (!std::holds_alternative<SgdConfig>(training.optimizer)) {
    update.state += 2 * largest_parameter(model.config, shape);
  }
  moments.push_back(update);

  // Attention is recorded of a forward pass that keeps everything, for its own sequences.
  if (config.record.attention.every > 0) {
    const Sizes sizes = sizes_of(model.config, config.task, shape, config.record.attention.samples);
    Model full = model;
    full.short_attention = false;
    MemoryUse recording = static_cast<double>(model.config.n_layers) *
                          (kept_by_block(full, sizes) + passing_of_forward(full, sizes));
    recording.state = weights;
    moments.push_back(recording);
  }

  return always + *std::max_element(
                      moments.begin(), moments.end(),
                      [](const MemoryUse& a, const MemoryUse& b) { return a.total() < b.total(); });
}

}  // namespace qkvlab

#include "cli/trace_text.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>

#include "base/number_text.hpp"
#include "base/terminal.hpp"
#include "cli/matrix_section.hpp"
#include "layers/tensor_values.hpp"
#include "report/table.hpp"
#include "report/text_block.hpp"

namespace qkvlab {

namespace {

constexpr size_t kMaxWords = 200;  // of the vocabulary

struct Projection {
  std::string symbol;  // "Q"
  Source source;
  const at::Tensor& value;  // [1, T, C]
};

std::vector<Projection> projections_of(const ProjectionPlan& plan, const QueryKeyValue& projected) {
  return {{"Q", plan.query, projected.query},
          {"K", plan.key, projected.key},
          {"V", plan.value, projected.value}};
}

/// "Q = X W_Qᵀ", "K = Q", …
std::string formula(const Projection& projection) {
  switch (projection.source) {
    case Source::kOwn:
      return projection.symbol + " = X W_" + projection.symbol + "ᵀ";
    case Source::kIdentity:
      return projection.symbol + " = X";
    case Source::kZero:
      return projection.symbol + " = 0";
    case Source::kQuery:
      return projection.symbol + " = Q";
    case Source::kKey:
      return projection.symbol + " = K";
    case Source::kValue:
      return projection.symbol + " = V";
  }
  return projection.symbol;
}

/// A learned projection: its symbol, "W_Q", and its place among the parameters of every snapshot.
struct LearnedWeight {
  std::string symbol;
  size_t index;
};

std::vector<LearnedWeight> learned_weights(const std::vector<NamedValue>& parameters) {
  const std::map<std::string, std::string> symbols = {
      {"q_proj.weight", "W_Q"}, {"k_proj.weight", "W_K"}, {"v_proj.weight", "W_V"}};
  std::vector<LearnedWeight> weights;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto symbol = symbols.find(parameters[i].path);
    if (symbol != symbols.end()) weights.push_back({symbol->second, i});
  }
  return weights;
}

/// Writes the parts of the text one after another.
class TraceText {
 public:
  TraceText(const Sentences& sentences, const SentimentRunOptions& options, const SentimentRun& run,
            const TextStyle& style)
      : style_(style),
        sentences_(sentences),
        options_(options),
        run_(run),
        learned_(learned_weights(run.initial)),
        words_(words_of(sentences, options.sentence)) {}
  std::string write() {
    write_input();
    write_forward();
    write_backward();
    write_step();
    write_epochs();
    write_before_and_after();
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += fitted(text, 2, style_.width); }
  void blank_line() { text_ += "\n"; }
  void title(const std::string& text) {
    line("── " + text + " ──");
    blank_line();
  }

  void write_input() {
    title("Input");
    const size_t size = sentences_.vocabulary.size();
    line("Vocabulary  " + std::to_string(size) + " words");
    std::string words;
    for (size_t id = 0; id < std::min(size, kMaxWords); ++id) {
      words += " " + std::to_string(id) + ":" +
               shorten(printable(sentences_.vocabulary[id]), kMaxLabelWidth);
    }
    text_ += paragraph("  ", words + (size > kMaxWords ? " …" : ""), 2, style_.width) + "\n";
    Table tokens({{"word", Align::kLeft}, {"token id"}});
    for (const int64_t id : sentences_.tokens[options_.sentence]) {
      tokens.add_row({sentences_.vocabulary[id], std::to_string(id)});
    }
    line("Sentence " + std::to_string(options_.sentence + 1) + " of " +
         std::to_string(sentences_.tokens.size()) + "  label " + label());
    text_ += tokens.text(2, style_) + "\n";
  }

  void write_forward() {
    title("First forward pass, mode " + options_.plan.mode);
    const SentimentForward& forward = run_.forward;
    const MatrixLabels by_word{words_, {}};
    text_ += matrix_section(style_, "X = embedding + position", forward.x[0], by_word);
    for (const LearnedWeight& weight : learned_) {
      text_ += matrix_section(style_, weight.symbol, run_.initial[weight.index].value);
    }
    if (options_.plan.attends) {
      for (const Projection& projection : projections_of(options_.plan, forward.projected)) {
        text_ += matrix_section(style_, formula(projection), projection.value[0], by_word);
      }
      const std::string width = std::to_string(forward.projected.query.size(-1));
      text_ += matrix_section(style_, "scores = Q Kᵀ / √" + width, forward.attention.scores[0],
                              {words_, words_});
      text_ += matrix_section(style_, "attention = softmax of each row",
                              forward.attention.weights[0], {words_, words_});
    }
    const std::string context = options_.plan.attends ? "context = attention V" : "context = X";
    text_ += matrix_section(style_, context, forward.attention.context[0], by_word);
    for (const NamedValue& parameter : run_.initial) {
      if (parameter.path == "head.weight")
        text_ += matrix_section(style_, "W_head", parameter.value);
      if (parameter.path == "head.bias") text_ += matrix_section(style_, "b_head", parameter.value);
    }
    text_ += matrix_section(style_, "mean = mean of the rows of context",
                            forward.attention.context[0].mean(0));
    write_prediction("logits = W_head mean + b_head", forward);
    const double log_p =
        -at::log_softmax(forward.logits[0].to(at::kDouble), 0)[true_class()].item<double>();
    line("cross-entropy  " + fixed(run_.loss.item<double>(), 6) + "    −log p(" + label() + ")  " +
         fixed(log_p, 6));
    blank_line();
  }

  void write_prediction(const std::string& name, const SentimentForward& forward) {
    const MatrixLabels by_label{{}, sentences_.labels};
    text_ += matrix_section(style_, name, forward.logits[0], by_label);
    text_ += matrix_section(style_, "probabilities", at::softmax(forward.logits[0], -1), by_label);
  }

  void write_backward() {
    title("First backward pass");
    for (const LearnedWeight& weight : learned_) {
      const at::Tensor& gradient = run_.after_backward[weight.index].gradient;
      line("‖dL/d" + weight.symbol + "‖  " + fixed(gradient.norm().item<double>(), 6));
    }
    const bool none = same_values(run_.initial, run_.after_backward);
    line(std::string("weights changed by the backward pass: ") + (none ? "none" : "some"));
    blank_line();
  }

  void write_step() {
    title("First step, SGD with lr " + significant(options_.lr, 6));
    Table table(
        {{"", Align::kLeft}, {"largest |change|"}, {"largest error against W − lr · dL/dW"}});
    for (size_t i = 0; i < run_.initial.size(); ++i) {
      const at::Tensor& before = run_.initial[i].value;
      const at::Tensor& after = run_.after_step[i].value;
      const at::Tensor expected = before.sub(run_.after_backward[i].gradient, options_.lr);
      table.add_row({run_.initial[i].path, fixed((after - before).abs().max().item<double>(), 6),
                     significant((after - expected).abs().max().item<double>(), 2)});
    }
    text_ += table.text(2, style_) + "\n";
  }

  void write_epochs() {
    title("Training on all " + std::to_string(sentences_.tokens.size()) + " sentences");
    Table table({{"epoch"}, {"loss before its step"}, {"accuracy after"}});
    const auto last = static_cast<int64_t>(run_.epochs.size());
    for (int64_t epoch = 1; epoch <= last; ++epoch) {
      if (!is_shown(epoch) && epoch != last) continue;
      const SentimentEpoch& state = run_.epochs[epoch - 1];
      table.add_row({std::to_string(epoch), fixed(state.loss, 4), fixed(state.accuracy_after, 3)});
    }
    text_ += table.text(2, style_) + "\n";
  }

  /// 1, 2, 5, 10, 20, 50, 100, 200, 500, …
  static bool is_shown(int64_t epoch) {
    while (epoch % 10 == 0 && epoch > 10) epoch /= 10;
    return epoch == 1 || epoch == 2 || epoch == 5 || epoch == 10;
  }

  void write_before_and_after() {
    title("Before and after training");
    if (options_.plan.attends) {
      text_ += matrix_section(style_, "attention before", run_.forward.attention.weights[0],
                              {words_, words_});
      text_ += matrix_section(style_, "attention after", run_.trained_forward.attention.weights[0],
                              {words_, words_});
    }
    write_prediction("logits after", run_.trained_forward);
    for (const LearnedWeight& weight : learned_) {
      const at::Tensor change = run_.trained[weight.index].value - run_.initial[weight.index].value;
      line("‖Δ" + weight.symbol + "‖ since the start  " + fixed(change.norm().item<double>(), 6));
    }
    if (!run_.packed_weight.defined()) return;
    const int64_t width = run_.packed_weight.size(1);
    MatrixLabels labels;
    for (const char* symbol : {"W_Q", "W_K", "W_V"}) {
      for (int64_t row = 0; row < width; ++row) {
        labels.rows.push_back(std::string(symbol) + " " + std::to_string(row));
      }
    }
    blank_line();
    text_ += matrix_section(style_, "in_proj_weight of torch.nn.MultiheadAttention",
                            run_.packed_weight, labels);
  }

  int64_t true_class() const { return sentences_.classes[options_.sentence]; }
  std::string label() const { return printable(sentences_.labels[true_class()]); }

  const TextStyle style_;
  const Sentences& sentences_;
  const SentimentRunOptions& options_;
  const SentimentRun& run_;
  const std::vector<LearnedWeight> learned_;
  const std::vector<std::string> words_;  // of the traced sentence
  std::string text_;
};

}  // namespace

std::string trace_text(const Sentences& sentences, const SentimentRunOptions& options,
                       const SentimentRun& run, const TextStyle& style) {
  return in_style(TraceText(sentences, options, run, style).write(), style);
}

}  // namespace qkvlab

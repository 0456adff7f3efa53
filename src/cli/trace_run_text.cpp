#include "cli/trace_run_text.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <map>

#include "cli/matrix_section.hpp"
#include "cli/prediction_text.hpp"
#include "cli/step_text.hpp"
#include "report/text_block.hpp"

namespace qkvlab {

namespace {

constexpr Excerpt kExcerpt = {12, 8};
constexpr int64_t kMaxHeads = 4;
constexpr int64_t kMaxBlocks = 4;  // of more, the first two and the last

/// How each intermediate comes from those before it.
const std::map<std::string, std::string>& formulas() {
  static const std::map<std::string, std::string> known = {
      {"x", "embedding"},
      {"norm1", "layer norm"},
      {"attention.attention", "softmax of each row of scores"},
      {"attention.context", "attention · v"},
      {"attention.output", "W_O · context of all heads"},
      {"residual1", "input + attention.output"},
      {"norm2", "layer norm"},
      {"mlp.hidden", "activation of mlp.preactivation"},
      {"residual2", "input + mlp.output"},
      {"norm", "layer norm"},
      {"attention", "softmax of each row of scores"},
      {"context", "attention · v"},
      {"probabilities", "softmax of logits"}};
  return known;
}

/// "blocks.3.attention.q" is `attention.q` of block 3; what stands outside of blocks is of block
/// −1.
struct Place {
  explicit Place(const std::string& path) : name(path) {
    const std::string prefix = "blocks.";
    if (path.rfind(prefix, 0) != 0) return;
    const size_t end = path.find('.', prefix.size());
    block = std::stoll(path.substr(prefix.size(), end - prefix.size()));
    name = path.substr(end + 1);
  }

  int64_t block = -1;
  std::string name;
};

struct Intermediate {
  Place place;
  at::Tensor value;
};

class TraceRunText {
 public:
  TraceRunText(const ExperimentConfig& config, const TraceRun& run, const TextStyle& style)
      : style_(style), config_(config), run_(run) {
    for (const std::string& token : run.tokens) tokens_.push_back(token_label(token));
    for (const std::string& output : run.outputs) outputs_.push_back(token_label(output));
    for (const auto& [path, value] : run.forward) {
      Place place(path);
      blocks_ = std::max(blocks_, place.block + 1);
      // The scores are the products, scaled and masked.
      if (place.name != "attention.products") shown_.push_back({std::move(place), value});
    }
  }

  std::string write() {
    text_ += prediction_text(run_, style_);
    write_forward();
    text_ += step_text(config_, run_, style_);
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += fitted(text, 2, style_.width) + "\n"; }
  void title(const std::string& text) { line("── " + text + " ──"); }

  void write_forward() {
    const std::string kind =
        std::visit([](const auto& model) { return std::string(model.kKind); }, config_.model);
    title("Forward pass of a " + kind + ", mode " + run_.mode);
    int64_t block = -1;
    for (size_t i = 0; i < shown_.size();) {
      const int64_t next = shown_[i].place.block;
      if (next != block) enter(next);
      block = next;
      const size_t end = end_of_heads(i);
      if (!is_shown(block)) {
        ++i;
      } else if (end > i) {
        write_heads(i, end);
        i = end;
      } else {
        write_matrix(shown_[i], shown_[i].value);
        ++i;
      }
    }
  }

  void enter(int64_t block) {
    if (block < 0) {
      title("Output");
    } else if (is_shown(block)) {
      title(block_title(block));
    } else if (is_shown(block - 1)) {
      title("Blocks " + std::to_string(block) + " to " + std::to_string(blocks_ - 2) +
            " are left out; --format jsonl has them");
    }
  }

  std::string block_title(int64_t block) const {
    return "Block " + std::to_string(block) + " of " + std::to_string(blocks_);
  }

  bool is_shown(int64_t block) const {
    return blocks_ <= kMaxBlocks || block < 2 || block == blocks_ - 1;
  }

  /// Behind the intermediates from `begin` on that have heads, [H, T, …].
  size_t end_of_heads(size_t begin) const {
    size_t end = begin;
    while (end < shown_.size() && shown_[end].value.dim() == 3 &&
           shown_[end].place.block == shown_[begin].place.block) {
      ++end;
    }
    return end;
  }

  /// Head by head, so that what belongs together stands together.
  void write_heads(size_t begin, size_t end) {
    const int64_t heads = shown_[begin].value.size(0);
    const std::string block = block_title(shown_[begin].place.block);
    for (int64_t head = 0; head < std::min(heads, kMaxHeads); ++head) {
      title(block + ", head " + std::to_string(head) + " of " + std::to_string(heads));
      for (size_t i = begin; i < end; ++i) write_matrix(shown_[i], shown_[i].value[head]);
    }
    if (heads > kMaxHeads) {
      title("Heads " + std::to_string(kMaxHeads) + " to " + std::to_string(heads - 1) +
            " are left out; --format jsonl has them");
    }
    title(block + ", behind its heads");
  }

  void write_matrix(const Intermediate& intermediate, const at::Tensor& matrix) {
    const std::string& name = intermediate.place.name;
    if (const std::string same = earlier_name(intermediate); !same.empty()) {
      line(name + " = " + same + "  " + shape_text(matrix.sizes()));
      return;
    }
    MatrixLabels labels;
    if (matrix.dim() == 2) labels.rows = tokens_;
    if (ends_with(name, "scores") || ends_with(name, "attention")) labels.columns = tokens_;
    if (name == "logits" || name == "probabilities") labels.columns = outputs_;
    text_ += matrix_section(style_, heading(intermediate, matrix), matrix, labels, 4, kExcerpt);
  }

  /// The name, and how it comes from those before it.
  std::string heading(const Intermediate& intermediate, const at::Tensor& matrix) const {
    const std::string& name = intermediate.place.name;
    if (ends_with(name, "scores")) {
      const bool masked = matrix.isinf().any().item<bool>();
      return name + " = q kᵀ / √" + std::to_string(head_width(intermediate.place.block)) +
             (masked ? ", -inf where masked" : "");
    }
    const auto formula = formulas().find(name);
    return formula == formulas().end() ? name : name + " = " + formula->second;
  }

  int64_t head_width(int64_t block) const {
    const auto is_query = [&](const Intermediate& one) {
      return one.place.block == block && (one.place.name == "q" || one.place.name == "attention.q");
    };
    return std::find_if(shown_.begin(), shown_.end(), is_query)->value.size(-1);
  }

  /// Of the same block, where one tensor has two names: a borrowed projection, a block's output.
  std::string earlier_name(const Intermediate& later) const {
    for (const Intermediate& earlier : shown_) {
      if (&earlier == &later) break;
      if (earlier.place.block == later.place.block &&
          earlier.value.data_ptr() == later.value.data_ptr() &&
          earlier.value.sizes() == later.value.sizes()) {
        return earlier.place.name;
      }
    }
    return {};
  }

  static bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
  }

  const TextStyle style_;
  const ExperimentConfig& config_;
  const TraceRun& run_;
  std::vector<std::string> tokens_, outputs_;
  std::vector<Intermediate> shown_;
  int64_t blocks_ = 0;
  std::string text_;
};

}  // namespace

std::string trace_run_text(const ExperimentConfig& config, const TraceRun& run,
                           const TextStyle& style) {
  return in_style(TraceRunText(config, run, style).write(), style);
}

}  // namespace qkvlab

#include "attention/attend.hpp"

#include <ATen/ATen.h>

#include "base/nested_array.hpp"
#include "base/number_text.hpp"
#include "base/paths.hpp"
#include "cli/commands.hpp"
#include "cli/matrix_section.hpp"
#include "cli/output.hpp"
#include "cli/talk.hpp"
#include "cli/terminal_style.hpp"
#include "config/attend_input.hpp"
#include "layers/tensor_values.hpp"

namespace qkvlab {

namespace {

/// In double precision: what a hand calculation is compared with should not be rounded to seven
/// digits.
at::Tensor tensor_of(const HandMatrix& matrix) {
  return at::tensor(matrix.values, at::kDouble).view({matrix.rows, matrix.columns});
}

/// The input as tensors, and what attention makes of it.
struct HandAttention {
  at::Tensor q, k, v;  // [Tq, Dh], [Tk, Dh], [Tk, Dv]
  Mask mask;
  Attention attention;
};

Mask mask_of(const AttendInput& input) {
  Mask mask;
  if (input.causal) mask = Mask::causal(input.queries(), input.keys());
  if (!input.key_valid.empty()) {
    const std::vector<uint8_t> flags(input.key_valid.begin(), input.key_valid.end());
    mask = mask & Mask::key_padding(at::tensor(flags).to(at::kBool));
  }
  return mask;
}

HandAttention compute(const AttendInput& input) {
  HandAttention hand;
  if (input.x) {
    const at::Tensor x = tensor_of(*input.x);
    hand.q = at::linear(x, tensor_of(*input.w_q));
    hand.k = at::linear(x, tensor_of(*input.w_k));
    hand.v = at::linear(x, tensor_of(*input.w_v));
  } else {
    hand.q = tensor_of(*input.q);
    hand.k = tensor_of(*input.k);
    hand.v = tensor_of(*input.v);
  }
  AttendOptions options;
  options.scale = input.scale;
  hand.mask = mask_of(input);
  hand.attention = attend(hand.q, hand.k, hand.v, hand.mask, options);
  return hand;
}

std::string projected_name(const AttendInput& input, const std::string& symbol) {
  return input.x ? symbol + " = X W_" + symbol + "ᵀ" : symbol;
}

std::string scale_name(const AttendInput& input, const at::Tensor& q) {
  if (input.scale) return "scaled = products · " + significant(*input.scale, 6);
  return "scaled = products / √" + std::to_string(q.size(-1));
}

std::string attend_text(const AttendInput& input, const HandAttention& hand,
                        const TextStyle& style) {
  // Tokens name the keys, and the queries too where there is one for each.
  const MatrixLabels keys{input.tokens, {}};
  const MatrixLabels queries{
      input.queries() == input.keys() ? input.tokens : std::vector<std::string>(), {}};
  const MatrixLabels both{queries.rows, input.tokens};

  std::string text;
  if (input.x) {
    text += matrix_section(style, "X", tensor_of(*input.x), keys);
    text += matrix_section(style, "W_Q", tensor_of(*input.w_q));
    text += matrix_section(style, "W_K", tensor_of(*input.w_k));
    text += matrix_section(style, "W_V", tensor_of(*input.w_v));
  }
  text += matrix_section(style, projected_name(input, "Q"), hand.q, queries);
  text += matrix_section(style, projected_name(input, "K"), hand.k, keys);
  text += matrix_section(style, projected_name(input, "V"), hand.v, keys);
  text += matrix_section(style, "products = Q Kᵀ", hand.attention.products, both);
  if (hand.mask.allowed().defined()) {
    // The same without the mask, to see what the mask is for.
    AttendOptions options;
    options.scale = input.scale;
    const Attention open = attend(hand.q, hand.k, hand.v, {}, options);
    text += matrix_section(style, scale_name(input, hand.q), open.scores, both);
    text += matrix_section(style, "weights if nothing were masked", open.weights, both);
    const at::Tensor mask = hand.mask.allowed().expand_as(open.scores);
    text += matrix_section(style, "mask, 1 = may attend", mask, both, 0);
    text += matrix_section(style, "scores = scaled where the mask is 1, else -inf",
                           hand.attention.scores, both);
  } else {
    text += matrix_section(style, scale_name(input, hand.q), hand.attention.scores, both);
  }
  text += matrix_section(style, "weights = softmax of each row", hand.attention.weights, both);
  text += matrix_section(style, "context = weights V", hand.attention.context, queries);
  return text;
}

void write_json(const HandAttention& hand, Output& output) {
  const auto write = [&output](std::string_view piece) { output.write(piece); };
  const char* before = "{\"";
  const auto member = [&](const char* name, const at::Tensor& matrix) {
    write(std::string(before) + name + "\": ");
    write_nested_array(double_values(matrix), matrix.sizes().vec(), write);
    before = ",\n \"";
  };
  member("q", hand.q);
  member("k", hand.k);
  member("v", hand.v);
  member("products", hand.attention.products);
  member("scores", hand.attention.scores);
  member("weights", hand.attention.weights);
  member("context", hand.attention.context);
  write("}\n");
}

}  // namespace

void run_attend(const AttendCommand& command) {
  const std::string file = find_input_file(command.file);
  const AttendInput input = read_attend_input(file);
  Output output(command.out, {file});
  const HandAttention hand = compute(input);
  if (!hand.attention.context.isfinite().all().item<bool>()) {
    warn(command.file + ": numbers this large overflow: the context is not finite");
  }
  if (command.format == Format::kText) {
    const TextStyle style = text_style(command.out);
    output.write(in_style(attend_text(input, hand, style), style));
  } else {
    write_json(hand, output);
  }
  output.finish();
}

}  // namespace qkvlab

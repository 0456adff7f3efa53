#include "attention/short_attention.hpp"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "attention/head_loops.hpp"
#include "config/memory.hpp"

namespace qkvlab {

namespace {

using MaybeTensor = c10::optional<at::Tensor>;  // LibTorch 1.13 takes no undefined argument
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// x [..., T, C] as [N, T, C] with adjacent columns; copies only where strides leave no choice.
at::Tensor flat_sequences(const at::Tensor& x) {
  if (!x.defined()) return x;
  const at::Tensor flat = x.reshape({-1, x.size(-2), x.size(-1)});
  return flat.stride(-1) == 1 ? flat : flat.contiguous();
}

/// Where the heads of x [N, T, C] lie; nowhere where x is undefined. Asking a tensor each time
/// would take a short head longer than its products.
class HeadPlaces {
 public:
  HeadPlaces(const at::Tensor& x, int64_t width) : width_(width) {
    if (!x.defined()) return;
    data_ = x.data_ptr<float>();
    sequence_ = x.stride(0);
    row_ = x.stride(1);
  }

  /// Head h of sequence n, to be read.
  MatrixView view(int64_t n, int64_t h) const { return {at(n, h), row_, 1}; }

  /// The same, to be written.
  float* at(int64_t n, int64_t h) const {
    return data_ == nullptr ? nullptr : data_ + n * sequence_ + h * width_;
  }

 private:
  float* data_ = nullptr;
  int64_t width_, sequence_ = 0, row_ = 0;
};

/// The mask of each sequence of x [..., T, C].
class SequenceMasks {
 public:
  SequenceMasks(const at::Tensor& allowed, const at::Tensor& x) {
    if (!allowed.defined()) return;
    std::vector<int64_t> shape = x.sizes().vec();
    shape.back() = x.size(-2);
    if (shape.size() == 3) shape.insert(shape.begin(), 1);
    const at::Tensor whole = allowed.expand(shape);  // [R, B, T, T]
    batch_ = shape[1];
    replica_ = whole.stride(0);
    sequence_ = whole.stride(1);
    first_ = {allowed.data_ptr<bool>(), whole.stride(2), whole.stride(3)};
  }

  HeadMask operator[](int64_t n) const {
    HeadMask mask = first_;
    if (mask.allowed != nullptr) mask.allowed += n / batch_ * replica_ + n % batch_ * sequence_;
    return mask;
  }

 private:
  HeadMask first_;
  int64_t batch_ = 1, replica_ = 0, sequence_ = 0;
};

/// Calls of one head of one sequence, each with the place of its [T, T] in the weights.
template <typename HeadFunction>
void for_each_head(const at::Tensor& sequences, int64_t heads, const HeadFunction& function) {
  for (int64_t n = 0; n < sequences.size(0); ++n) {
    for (int64_t h = 0; h < heads; ++h) {
      function(n, h, (n * heads + h) * sequences.size(1) * sequences.size(1));
    }
  }
}

MaybeTensor maybe(const at::Tensor& x) { return x.defined() ? MaybeTensor(x) : c10::nullopt; }

/// Value before query and key, which may be left out: LibTorch numbers the arguments that are
/// there.
struct ShortAttention : torch::autograd::Function<ShortAttention> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& value,
                            const MaybeTensor& query, const MaybeTensor& key,
                            const MaybeTensor& mask, const MaybeTensor& dropout, int64_t heads) {
    const at::Tensor factors = dropout.value_or(at::Tensor());
    const at::Tensor v = flat_sequences(value);  // [N, T, C]
    const at::Tensor q = flat_sequences(query.value_or(at::Tensor()));
    const at::Tensor k = flat_sequences(key.value_or(at::Tensor()));
    const int64_t tokens = v.size(1), width = v.size(2) / heads;
    const SequenceMasks masks(mask.value_or(at::Tensor()), value);
    const at::Tensor weights = at::empty({v.size(0), heads, tokens, tokens}, v.options());
    const at::Tensor result = at::empty(v.sizes(), v.options());
    const HeadPlaces queries(q, width), keys(k, width), values(v, width), contexts(result, width);
    float* first_weight = weights.data_ptr<float>();
    const float* first_factor = factors.defined() ? factors.data_ptr<float>() : nullptr;
    HeadLoops loops(tokens, width);
    for_each_head(v, heads, [&](int64_t n, int64_t h, int64_t place) {
      loops.forward({queries.view(n, h), keys.view(n, h), values.view(n, h)}, masks[n],
                    first_factor == nullptr ? nullptr : first_factor + place, first_weight + place,
                    contexts.at(n, h), v.size(2));
    });
    context->save_for_backward({value, q, k, weights, factors});
    return result.view(value.sizes());
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    TORCH_CHECK(!at::GradMode::is_enabled(), "attention in one pass has no second derivative");
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& weights = saved[3];  // [N, H, T, T]
    const int64_t heads = weights.size(1);
    std::vector<at::Tensor> inputs, found;  // of value, query and key
    for (size_t i = 0; i < 3; ++i) {
      inputs.push_back(flat_sequences(saved[i]));
      const bool wanted = saved[i].defined() && context->needs_input_grad(i);
      found.push_back(wanted ? at::empty(inputs[i].sizes(), inputs[i].options()) : at::Tensor());
    }
    const at::Tensor given = flat_sequences(gradients[0]);
    const int64_t width = given.size(2) / heads;
    const HeadPlaces values(inputs[0], width), queries(inputs[1], width), keys(inputs[2], width);
    const HeadPlaces value_gradients(found[0], width), query_gradients(found[1], width),
        key_gradients(found[2], width), contexts(given, width);
    const float* first_weight = weights.data_ptr<float>();
    const float* first_factor = saved[4].defined() ? saved[4].data_ptr<float>() : nullptr;
    HeadLoops loops(given.size(1), width);
    for_each_head(given, heads, [&](int64_t n, int64_t h, int64_t place) {
      loops.backward({queries.view(n, h), keys.view(n, h), values.view(n, h)}, first_weight + place,
                     first_factor == nullptr ? nullptr : first_factor + place, contexts.view(n, h),
                     {query_gradients.at(n, h), key_gradients.at(n, h), value_gradients.at(n, h),
                      given.size(2)});
    });
    variable_list result(6);  // one for each argument of forward
    for (size_t i = 0; i < 3; ++i) {
      if (found[i].defined()) result[i] = found[i].view(saved[0].sizes());
    }
    return result;
  }
};

}  // namespace

bool can_fuse(const at::Tensor& x) {
  return x.is_cpu() && x.scalar_type() == at::kFloat && (x.dim() == 3 || x.dim() == 4) &&
         x.numel() > 0 && x.size(-2) <= kLongestShortAttention;
}

at::Tensor short_attention(const QueryKeyValue& projected, int64_t heads, const Mask& mask,
                           const AttendOptions& options) {
  const auto& [query, key, value] = projected;
  TORCH_CHECK(
      can_fuse(value) && value.size(-1) % heads == 0 && query.defined() == key.defined() &&
          (!query.defined() || (query.sizes() == value.sizes() && key.sizes() == value.sizes())),
      "short_attention: query, key and value are [..., T, C] of one size and float32");
  TORCH_CHECK(!options.scale, "short_attention: the scale is 1/√Dh");
  std::vector<int64_t> shape = value.sizes().vec();
  shape.back() = value.size(-2);
  shape.insert(shape.end() - 2, heads);  // [..., H, T, T]
  at::Tensor factors =
      dropout_factors(shape, value.options(), options.dropout, options.site, options.dropout_step);
  if (factors.defined()) factors = factors.contiguous();
  return ShortAttention::apply(value, maybe(query), maybe(key), maybe(mask.allowed()),
                               maybe(factors), heads);
}

}  // namespace qkvlab

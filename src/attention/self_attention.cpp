#include "attention/self_attention.hpp"

#include <ATen/ATen.h>

#include "attention/short_attention.hpp"

namespace qkvlab {

namespace {

at::Tensor split_heads(const at::Tensor& x, int64_t heads) {
  std::vector<int64_t> shape = x.sizes().vec();  // [..., T, C]
  shape.back() = heads;
  shape.push_back(x.size(-1) / heads);
  return x.reshape(shape).transpose(-3, -2);  // [..., H, T, Dh]
}

}  // namespace

SelfAttentionImpl::SelfAttentionImpl(const SelfAttentionOptions& options,
                                     const InitialValues& initial)
    : options_(options),
      path_(initial.path()),
      projections_({options.plan, options.width, options.bias, options.packed, options.exact},
                   *this, initial) {
  TORCH_CHECK(options.plan.attends, "mode ", options.plan.mode, " has no attention to build");
  TORCH_CHECK(options.heads > 0 && options.width % options.heads == 0, options.heads,
              " heads do not divide the width ", options.width);
  const LinearOptions output{options.width, options.width, options.bias, /*residual=*/true,
                             options.exact};
  out_proj = register_module("out_proj", Linear(output, initial.submodule("out_proj")));
}

SelfAttentionForward SelfAttentionImpl::forward(const at::Tensor& x, const Mask& mask,
                                                const DropoutStep* dropout_step, Keep keep) const {
  SelfAttentionForward trace;
  QueryKeyValue whole = projections_.forward(x);  // [B, T, C]
  AttendOptions attend_options;
  attend_options.dropout = options_.dropout;
  attend_options.dropout_step = dropout_step;
  attend_options.site = path_ + "weights";
  if (keep == Keep::kLogits && !options_.exact && can_fuse(x)) {
    if (scores_are_zero(options_.plan)) whole.query = whole.key = at::Tensor();
    const at::Tensor context = short_attention(whole, options_.heads, mask, attend_options);
    trace.output = out_proj->forward(context);  // [B, T, C]
    return trace;
  }
  trace.projected = {split_heads(whole.query, options_.heads),
                     split_heads(whole.key, options_.heads),
                     split_heads(whole.value, options_.heads)};  // [B, H, T, Dh]
  trace.attention = attend(trace.projected.query, trace.projected.key, trace.projected.value,
                           mask.for_heads(), attend_options);
  const at::Tensor joined = trace.attention.context.transpose(-3, -2).reshape(x.sizes());
  trace.output = out_proj->forward(joined);  // [B, T, C]
  return trace;
}

}  // namespace qkvlab

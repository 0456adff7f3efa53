#include "attention/multihead_layout.hpp"

#include <ATen/ATen.h>

#include "layers/named_values.hpp"

namespace qkvlab {

namespace {

enum class Part { kWeight, kBias };

/// One projection's part of the layout: learned, or what has the effect of its source.
at::Tensor layout_part(const std::vector<NamedValue>& values, Source source, Part part,
                       int64_t width) {
  const bool weight = part == Part::kWeight;
  const at::TensorOptions like = values.front().value.options();
  if (source == Source::kIdentity && weight) return at::eye(width, like);
  if (source == Source::kIdentity || source == Source::kZero) {
    return weight ? at::zeros({width, width}, like) : at::zeros({width}, like);
  }
  return value_at(values, projection_name(source) + (weight ? ".weight" : ".bias"));
}

at::Tensor layout_rows(const torch::nn::Module& owner, const ProjectionPlan& plan, Part part,
                       int64_t width) {
  const std::vector<NamedValue> values = named_values(owner);
  std::vector<at::Tensor> rows;
  for (const Source source : plan.resolved()) {
    rows.push_back(layout_part(values, source, part, width));
  }
  return at::cat(rows);  // copies, and so cuts off from the module
}

}  // namespace

at::Tensor packed_in_proj_weight(const torch::nn::Module& owner, const ProjectionPlan& plan,
                                 int64_t width) {
  return layout_rows(owner, plan, Part::kWeight, width);
}

MultiheadLayout export_multihead(const SelfAttentionImpl& attention) {
  const SelfAttentionOptions& options = attention.options();
  MultiheadLayout layout;
  layout.in_proj_weight = packed_in_proj_weight(attention, options.plan, options.width);
  layout.out_proj_weight = attention.out_proj->weight.detach().clone();
  if (options.bias) {
    layout.in_proj_bias = layout_rows(attention, options.plan, Part::kBias, options.width);
    layout.out_proj_bias = attention.out_proj->bias.detach().clone();
  }
  return layout;
}

void import_multihead(SelfAttentionImpl& attention, const MultiheadLayout& layout) {
  const SelfAttentionOptions& options = attention.options();
  const MultiheadLayout before = export_multihead(attention);
  const auto same_shape = [](const at::Tensor& a, const at::Tensor& b) {
    return a.defined() == b.defined() && (!a.defined() || a.sizes() == b.sizes());
  };
  TORCH_CHECK(same_shape(before.in_proj_weight, layout.in_proj_weight) &&
                  same_shape(before.in_proj_bias, layout.in_proj_bias) &&
                  same_shape(before.out_proj_weight, layout.out_proj_weight) &&
                  same_shape(before.out_proj_bias, layout.out_proj_bias),
              "the layout is of another width, or only one of the two has biases");
  const auto weights = layout.in_proj_weight.chunk(3);
  const auto biases =
      options.bias ? layout.in_proj_bias.chunk(3) : std::vector<at::Tensor>(weights.size());
  constexpr std::array<Source, 3> kOrder = {Source::kQuery, Source::kKey, Source::kValue};
  for (const NamedValue& mine : named_values(attention)) {
    // Views of the parameters: copying into them sets packed slices too.
    for (size_t i = 0; i < kOrder.size(); ++i) {
      const std::string name = projection_name(kOrder[i]);
      if (mine.path == name + ".weight") mine.value.copy_(weights[i]);
      if (mine.path == name + ".bias") mine.value.copy_(biases[i]);
    }
    if (mine.path == "out_proj.weight") mine.value.copy_(layout.out_proj_weight);
    if (mine.path == "out_proj.bias") mine.value.copy_(layout.out_proj_bias);
  }
  const MultiheadLayout now = export_multihead(attention);
  TORCH_CHECK(now.in_proj_weight.equal(layout.in_proj_weight) &&
                  (!options.bias || now.in_proj_bias.equal(layout.in_proj_bias)),
              "the layout holds projections that mode ", options.plan.mode, " cannot have");
}

}  // namespace qkvlab

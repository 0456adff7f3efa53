#include "attention/multihead_layout.hpp"

#include <ATen/ATen.h>

#include "layers/named_values.hpp"

namespace qkvlab {

namespace {

enum class Part { kWeight, kBias };

/// One projection's part of the layout: learned, borrowed, or what has the effect of its source.
at::Tensor layout_part(const std::vector<NamedValue>& values, const ProjectionPlan& plan,
                       Source source, const std::string& name, Part part, int64_t width) {
  switch (source) {
    case Source::kQuery:
      return layout_part(values, plan, plan.query, "q_proj", part, width);
    case Source::kKey:
      return layout_part(values, plan, plan.key, "k_proj", part, width);
    case Source::kValue:
      return layout_part(values, plan, plan.value, "v_proj", part, width);
    case Source::kOwn:
      return value_at(values, name + (part == Part::kWeight ? ".weight" : ".bias"));
    case Source::kIdentity:
      return part == Part::kWeight ? at::eye(width) : at::zeros({width});
    case Source::kZero:
      break;
  }
  return part == Part::kWeight ? at::zeros({width, width}) : at::zeros({width});
}

at::Tensor layout_rows(const torch::nn::Module& owner, const ProjectionPlan& plan, Part part,
                       int64_t width) {
  const std::vector<NamedValue> values = named_values(owner);
  // at::cat copies and so cuts off from the module.
  return at::cat({layout_part(values, plan, plan.query, "q_proj", part, width),
                  layout_part(values, plan, plan.key, "k_proj", part, width),
                  layout_part(values, plan, plan.value, "v_proj", part, width)});
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
  TORCH_CHECK(layout.in_proj_bias.defined() == options.bias, "one has biases, the other has none");
  const auto weights = layout.in_proj_weight.chunk(3);
  const auto biases =
      options.bias ? layout.in_proj_bias.chunk(3) : std::vector<at::Tensor>(weights.size());
  const std::vector<std::string> names = {"q_proj", "k_proj", "v_proj"};
  for (const NamedValue& mine : named_values(attention)) {
    // Views of the parameters: copying into them sets packed slices too.
    for (size_t i = 0; i < names.size(); ++i) {
      if (mine.path == names[i] + ".weight") mine.value.copy_(weights[i]);
      if (mine.path == names[i] + ".bias") mine.value.copy_(biases[i]);
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

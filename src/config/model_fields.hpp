#pragma once

#include "config/field_rules.hpp"
#include "config/model_config.hpp"

namespace qkvlab {

// Beyond these, counts of parameters and FLOPs would no longer fit into 64 bits.
constexpr IntegerRange kWidths = {1, 1 << 16};
constexpr IntegerRange kLayers = {1, 1024};
constexpr IntegerRange kRatios = {1, 64};
constexpr IntegerRange kHiddenWidths = {1, kRatios.high* kWidths.high};

/// What `plan` holds where no `mode` stands.
template <>
struct ConfigFields<ProjectionPlan> {
  template <typename C, typename Visitor>
  static void visit(C& plan, Visitor& visitor) {
    visitor.field("q", plan.query, "query");
    visitor.field("k", plan.key, "key");
    visitor.field("v", plan.value, "value");
  }
};

template <>
struct ConfigFields<AttentionConfig> {
  template <typename C, typename Visitor>
  static void visit(C& attention, Visitor& visitor) {
    visitor.plan(attention.plan);
    visitor.field("packed", attention.packed,
                  "the learned projections stored as one weight: faster, the last bits differ");
  }
};

template <>
struct ConfigFields<MlpConfig> {
  template <typename C, typename Visitor>
  static void visit(C& mlp, Visitor& visitor) {
    visitor.field("ratio", mlp.ratio, "hidden width over `d_model`", kRatios);
    visitor.field("hidden", mlp.hidden, "hidden width; null: `ratio` times `d_model`",
                  kHiddenWidths);
    visitor.field("activation", mlp.activation, "between the two layers");
  }
};

template <>
struct ConfigFields<DropoutConfig> {
  template <typename C, typename Visitor>
  static void visit(C& dropout, Visitor& visitor) {
    visitor.field("attention", dropout.attention, "on attention weights", kFromZeroBelowOne);
    visitor.field("residual", dropout.residual, "on what each sublayer adds", kFromZeroBelowOne);
    visitor.field("embedding", dropout.embedding, "on the sum of token and position embedding",
                  kFromZeroBelowOne);
  }
};

template <>
struct ConfigFields<TransformerConfig> {
  template <typename C, typename Visitor>
  static void visit(C& model, Visitor& visitor) {
    visitor.field("d_model", model.d_model, "width, a multiple of `n_heads`", kWidths);
    visitor.field("n_layers", model.n_layers, "blocks", kLayers);
    visitor.field("n_heads", model.n_heads, "attention heads of a block", kWidths);
    visitor.field("max_length", model.max_length,
                  "rows of the position table: tokens of the longest sequence",
                  from_to(1, 1 << 20));
    visitor.field("causal", model.causal, "whether no token sees a later one");
    visitor.field("attention", model.attention, "where query, key and value come from");
    visitor.field("mlp", model.mlp, "the MLP of every block; null: none");
    visitor.field("norm", model.norm,
                  "where a block normalises: before each sublayer (and once at the end), or after "
                  "adding it");
    visitor.field("position", model.position, "what tells a token where it stands");
    visitor.field("embedding", model.embedding,
                  "a lookup table, or a linear layer over one-hot tokens, which starts at other "
                  "scales and may have a bias");
    visitor.field("tie_head", model.tie_head,
                  "whether the head is the token embedding; needs a task that predicts tokens and "
                  "a lookup table");
    visitor.field("bias", model.bias, "whether linear layers and norms have a bias");
    visitor.field("dropout", model.dropout, "shares that are dropped in training");
    visitor.field(
        "init", model.init,
        "initial scales: PyTorch's own, with which a tied head starts far above a blind guess, "
        "or GPT-2's");
    visitor.field("output", model.output,
                  "logits for every token, or of the last token or the mean over tokens; `auto`: "
                  "for every token where the task has targets for tokens, else of the last");
  }
};

template <>
struct ConfigFields<SentimentTraceConfig> {
  template <typename C, typename Visitor>
  static void visit(C& model, Visitor& visitor) {
    visitor.field("d_model", model.d_model, "width", kWidths);
    visitor.field("attention", model.attention, "where query, key and value come from");
  }
};

}  // namespace qkvlab

#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "config/projection_plan.hpp"

namespace qkvlab {

struct AttentionConfig {
  ProjectionPlan plan = attention_mode("full");
  bool packed =
      false;  // the learned projections stored as one weight: faster, the last bits differ
};

enum class Activation { kGelu, kRelu };

struct MlpConfig {
  int64_t ratio = 4;              // hidden width over the model width,
  std::optional<int64_t> hidden;  // or the hidden width itself, which then counts
  Activation activation = Activation::kGelu;
};

/// The hidden width of an MLP in a model of width `d_model`.
inline int64_t hidden_width(const MlpConfig& mlp, int64_t d_model) {
  return mlp.hidden ? *mlp.hidden : mlp.ratio * d_model;
}

struct DropoutConfig {
  double attention = 0;  // on attention weights
  double residual = 0;   // on what each sublayer adds
  double embedding = 0;  // on the sum of token and position embedding
};

/// Where a block normalises: before each sublayer (and once at the end), or after adding it.
enum class NormPlace { kPre, kPost };
enum class PositionKind { kLearned, kNone };
/// A lookup table, or a linear layer over one-hot tokens (which starts at other scales, and may
/// have a bias).
enum class EmbeddingKind { kLookup, kOneHot };
/// PyTorch's own initial scales, with which a tied head starts far above a blind guess, or GPT-2's.
enum class InitScheme { kTorch, kGpt2 };
/// Logits for every token, or one row of them per sequence: of its last token or of the mean over
/// its tokens. kAuto: for every token where the task has targets for tokens, else of the last
/// token.
enum class OutputKind { kAuto, kToken, kLast, kMean };

struct TransformerConfig {
  static constexpr const char* kKind = "transformer";
  int64_t d_model = 64;
  int64_t n_layers = 2;
  int64_t n_heads = 2;
  int64_t max_length = 128;  // rows of the position table
  bool causal = true;
  AttentionConfig attention;
  std::optional<MlpConfig> mlp = MlpConfig{};  // nothing: blocks without an MLP
  NormPlace norm = NormPlace::kPre;
  PositionKind position = PositionKind::kLearned;
  EmbeddingKind embedding = EmbeddingKind::kLookup;
  bool tie_head = true;
  bool bias = true;  // of every linear layer and norm
  DropoutConfig dropout;
  InitScheme init = InitScheme::kGpt2;
  OutputKind output = OutputKind::kAuto;
};

/// The classifier whose every matrix fits on a screen (model/sentiment_trace.hpp).
struct SentimentTraceConfig {
  static constexpr const char* kKind = "sentiment_trace";
  int64_t d_model = 8;
  AttentionConfig attention;
};

using ModelConfig = std::variant<TransformerConfig, SentimentTraceConfig>;

}  // namespace qkvlab

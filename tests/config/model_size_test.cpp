#include "config/model_size.hpp"

#include <gtest/gtest.h>

#include "config/memory.hpp"

namespace qkvlab {
namespace {

TaskShape shape_of(int64_t vocabulary, int64_t outputs, int64_t length, bool per_token) {
  TaskShape shape;
  shape.vocabulary = vocabulary;
  shape.outputs = outputs;
  shape.length = length;
  shape.per_token = per_token;
  return shape;
}

/// Small enough to count by hand: C = 4, two layers, two heads, MLP 3 C = 12, V = 7, T at most 5.
TransformerConfig small() {
  TransformerConfig model;
  model.d_model = 4;
  model.n_layers = 2;
  model.n_heads = 2;
  model.max_length = 5;
  model.mlp->ratio = 3;
  model.tie_head = false;
  return model;
}

TEST(ModelSize, ATransformerCountedByHand) {
  const ModelSize size = model_size(small(), shape_of(7, 6, 5, true));
  EXPECT_EQ(size.token_embedding, 28);     // 7 × 4
  EXPECT_EQ(size.position_embedding, 20);  // 5 × 4
  EXPECT_EQ(size.attention, 160);          // 2 × 4 × (4 × 4 + 4)
  EXPECT_EQ(size.mlp, 224);                // 2 × (4 × 12 + 12 + 12 × 4 + 4)
  EXPECT_EQ(size.norms, 40);               // (2 × 2 + 1) × (4 + 4)
  EXPECT_EQ(size.head, 30);                // 4 × 6 + 6
  EXPECT_EQ(size.parameters(), 502);
  // Two layers of 4 × 16 + 2 × 48 = 160 weights, two FLOPs each, and 4 × 5 × 4 = 80 of products;
  // 2 × 24 of the head.
  EXPECT_EQ(size.forward_flops, 2 * (320 + 80) + 48);
  EXPECT_EQ(size.training_flops(), 3 * 848);
}

TEST(ModelSize, AHiddenWidthByItselfCountsInsteadOfTheRatio) {
  TransformerConfig model = small();
  model.mlp->hidden = 5;
  EXPECT_EQ(model_size(model, shape_of(7, 6, 5, true)).mlp, 98);  // 2 × (4 × 5 + 5 + 5 × 4 + 4)
  EXPECT_EQ(hidden_width(*model.mlp, 4), 5);
  EXPECT_EQ(hidden_width(*small().mlp, 4), 12);
}

TEST(ModelSize, WithoutBias) {
  TransformerConfig model = small();
  model.bias = false;
  const ModelSize size = model_size(model, shape_of(7, 6, 5, true));
  EXPECT_EQ(size.attention, 128);
  EXPECT_EQ(size.mlp, 192);
  EXPECT_EQ(size.norms, 20);
  EXPECT_EQ(size.head, 24);
}

TEST(ModelSize, WhatIsLeftOutIsNotCounted) {
  TransformerConfig model = small();
  model.mlp.reset();  // and its norm
  model.position = PositionKind::kNone;
  model.tie_head = true;
  const ModelSize size = model_size(model, shape_of(7, 7, 5, true));
  EXPECT_EQ(size.mlp, 0);
  EXPECT_EQ(size.norms, 24);  // (2 × 1 + 1) × 8
  EXPECT_EQ(size.position_embedding, 0);
  EXPECT_EQ(size.head, 0);
  EXPECT_EQ(size.forward_flops, 2 * (128 + 80) + 56) << "a tied head still multiplies";
}

TEST(ModelSize, PostNormHasNoFinalNorm) {
  TransformerConfig model = small();
  model.norm = NormPlace::kPost;
  EXPECT_EQ(model_size(model, shape_of(7, 6, 5, true)).norms, 32);
}

TEST(ModelSize, AOneHotEmbeddingHasABias) {
  TransformerConfig model = small();
  model.embedding = EmbeddingKind::kOneHot;
  EXPECT_EQ(model_size(model, shape_of(7, 6, 5, true)).token_embedding, 32);
  model.bias = false;
  EXPECT_EQ(model_size(model, shape_of(7, 6, 5, true)).token_embedding, 28);
}

TEST(ModelSize, AModeCostsWhatItLearns) {
  const auto size = [](const std::string& mode) {
    TransformerConfig model = small();
    model.attention.plan = attention_mode(mode);
    return model_size(model, shape_of(7, 6, 5, true));
  };
  EXPECT_EQ(size("uniform").attention, 80);       // value and output
  EXPECT_EQ(size("identity_qkv").attention, 40);  // output
  EXPECT_EQ(size("shared_kv").attention, 120);
  EXPECT_EQ(size("none").attention, 0);
  EXPECT_EQ(size("none").norms, 24);
  // An MLP of 96 weights a layer, and the head; no products.
  EXPECT_EQ(size("none").forward_flops, 2 * 192 + 48);
}

TEST(ModelSize, AHeadOnceASequenceCostsEachTokenAShare) {
  TransformerConfig model = small();
  model.output = OutputKind::kLast;
  EXPECT_EQ(model_size(model, shape_of(7, 5, 5, false)).forward_flops, 2 * (320 + 80) + 40.0 / 5);
}

TEST(ModelSize, TheSentenceClassifierCountedByHand) {
  SentimentTraceConfig model;  // C = 8
  const ModelSize size = model_size(model, shape_of(17, 2, 3, false));
  EXPECT_EQ(size.token_embedding, 136);
  EXPECT_EQ(size.position_embedding, 24);
  EXPECT_EQ(size.attention, 192);  // three of 8 × 8, no bias, no output projection
  EXPECT_EQ(size.norms, 0);
  EXPECT_EQ(size.head, 18);
  EXPECT_EQ(size.parameters(), 370);
  EXPECT_EQ(size.forward_flops, 384 + 96 + 32.0 / 3);
}

TEST(StateBytes, EachOptimizerKeepsItsOwn) {
  ModelSize size;
  size.head = 10;
  SgdConfig sgd;
  EXPECT_EQ(state_bytes(size, sgd), 80);  // weights and gradients
  sgd.momentum = 0.9;
  EXPECT_EQ(state_bytes(size, sgd), 120);
  EXPECT_EQ(state_bytes(size, AdamConfig{}), 160);
  EXPECT_EQ(state_bytes(size, AdamWConfig{}), 160);
}

}  // namespace
}  // namespace qkvlab

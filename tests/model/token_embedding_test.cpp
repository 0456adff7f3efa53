#include "model/token_embedding.hpp"

#include "support/models.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

constexpr int64_t kWidth = 4;

TokenEmbedding make_embedding(EmbeddingKind kind, bool bias,
                              RandomScheme scheme = RandomScheme::kKeyed) {
  const RandomSource source(scheme, 5);
  return TokenEmbedding(kind, kVocabulary, kWidth, bias, InitialValues(source));
}

at::Tensor some_tokens() { return whole_numbers(kVocabulary, {3, 5}, 1); }

TEST(TokenEmbedding, OneHotIsALinearLayerOfPyTorchOverOneHotTokens) {
  for (const bool bias : {true, false}) {
    torch::manual_seed(5);
    torch::nn::Linear theirs(torch::nn::LinearOptions(kVocabulary, kWidth).bias(bias));
    const TokenEmbedding ours =
        make_embedding(EmbeddingKind::kOneHot, bias, RandomScheme::kTorchStream);
    EXPECT_TRUE(same(ours->weight.detach(), theirs->weight.detach()));
    EXPECT_EQ(ours->bias.defined(), bias);
    const at::Tensor one_hot = at::one_hot(some_tokens(), kVocabulary).to(at::kFloat);
    EXPECT_TRUE(same(ours->forward(some_tokens()), theirs->forward(one_hot)));
  }
}

TEST(TokenEmbedding, OneHotIsALookUpInTheTransposedWeight) {
  for (const bool bias : {true, false}) {
    const TokenEmbedding embedding = make_embedding(EmbeddingKind::kOneHot, bias);
    at::Tensor expected = at::embedding(embedding->weight.t(), some_tokens());
    if (bias) expected = expected + embedding->bias;
    EXPECT_TRUE(near(embedding->forward(some_tokens()), expected));
  }
}

TEST(TokenEmbedding, ALookUpHasNoBias) {
  const TokenEmbedding embedding = make_embedding(EmbeddingKind::kLookup, true);
  EXPECT_EQ(embedding->parameters().size(), 1u);
  EXPECT_TRUE(
      same(embedding->forward(some_tokens()), at::embedding(embedding->weight, some_tokens())));
}

TEST(TokenEmbedding, LogitsAreProductsWithEachTokensVector) {
  for (const auto kind : {EmbeddingKind::kLookup, EmbeddingKind::kOneHot}) {
    const TokenEmbedding embedding = make_embedding(kind, false);
    const at::Tensor x = normal({3, 5, kWidth}, 2);
    const at::Tensor logits = embedding->logits(x);
    for (int64_t token = 0; token < kVocabulary; ++token) {
      const at::Tensor vector = embedding->forward(at::full({1, 1}, token, at::kLong))[0][0];
      EXPECT_TRUE(near(logits.select(-1, token), at::matmul(x, vector))) << token;
    }
  }
}

TEST(TokenEmbedding, OneHotFollowsItsParametersType) {
  TokenEmbedding embedding = make_embedding(EmbeddingKind::kOneHot, true);
  embedding->to(at::kDouble);
  EXPECT_EQ(embedding->forward(some_tokens()).scalar_type(), at::kDouble);
}

TEST(TokenEmbedding, TokensBeyondTheVocabularyAreRefused) {
  for (const auto kind : {EmbeddingKind::kLookup, EmbeddingKind::kOneHot}) {
    for (const int64_t token : {int64_t{-1}, kVocabulary}) {
      EXPECT_ANY_THROW(make_embedding(kind, true)->forward(at::full({1, 1}, token, at::kLong)))
          << token;
    }
  }
}

}  // namespace
}  // namespace qkvlab

// The transformer against one put together from LibTorch's own modules, written out plainly.
#include "model/transformer.hpp"

#include <limits>
#include <map>

#include "support/keyed_mask.hpp"
#include "support/models.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

namespace F = torch::nn::functional;

class PlainTransformer {
 public:
  PlainTransformer(const Transformer& model, const TransformerOptions& options)
      : options_(options) {
    for (const NamedValue& value : named_values(*model)) values_[value.path] = value.value;
  }

  at::Tensor logits(const at::Tensor& tokens) const {
    const bool one_hot = options_.embedding == EmbeddingKind::kOneHot;
    const bool pre = options_.norm == NormPlace::kPre;
    at::Tensor stream =
        one_hot ? linear(F::one_hot(tokens, options_.vocabulary).to(at::kFloat), "token_embedding")
                : F::embedding(tokens, at("token_embedding.weight"));
    if (options_.position == PositionKind::kLearned) {
      stream = stream + F::embedding(at::arange(tokens.size(1)), at("position_embedding.weight"));
    }
    for (int64_t layer = 0; layer < options_.layers; ++layer) {
      const std::string block = "blocks." + std::to_string(layer) + ".";
      if (options_.plan.attends) {
        stream = pre ? stream + attention(norm(stream, block + "norm1"), block + "attention.")
                     : norm(stream + attention(stream, block + "attention."), block + "norm1");
      }
      if (options_.mlp) {
        stream = pre ? stream + mlp(norm(stream, block + "norm2"), block + "mlp.")
                     : norm(stream + mlp(stream, block + "mlp."), block + "norm2");
      }
    }
    if (pre) stream = norm(stream, "norm");
    if (options_.output == OutputKind::kLast) stream = stream.select(1, tokens.size(1) - 1);
    if (options_.output == OutputKind::kMean) stream = stream.mean(1);
    if (!options_.tie_head) return linear(stream, "head");
    const at::Tensor embedding = at("token_embedding.weight");
    return F::linear(stream, one_hot ? embedding.t() : embedding);
  }

 private:
  at::Tensor mlp(const at::Tensor& x, const std::string& path) const {
    const at::Tensor hidden = linear(x, path + "fc_in");
    return linear(options_.mlp->activation == Activation::kRelu ? F::relu(hidden) : F::gelu(hidden),
                  path + "fc_out");
  }
  at::Tensor at(const std::string& path) const {
    const auto found = values_.find(path);
    return found == values_.end() ? at::Tensor() : found->second;
  }
  at::Tensor linear(const at::Tensor& x, const std::string& path) const {
    return F::linear(x, at(path + ".weight"), at(path + ".bias"));
  }
  at::Tensor norm(const at::Tensor& x, const std::string& path) const {
    return F::layer_norm(x, F::LayerNormFuncOptions({options_.width})
                                .weight(at(path + ".weight"))
                                .bias(at(path + ".bias")));
  }

  /// Of mode `full`.
  at::Tensor attention(const at::Tensor& x, const std::string& path) const {
    torch::nn::MultiheadAttention multihead(
        torch::nn::MultiheadAttentionOptions(options_.width, options_.heads).bias(options_.bias));
    const at::NoGradGuard no_gradients;
    const auto rows = [&](const std::string& end) {
      return at::cat(
          {at(path + "q_proj" + end), at(path + "k_proj" + end), at(path + "v_proj" + end)});
    };
    multihead->in_proj_weight.copy_(rows(".weight"));
    multihead->out_proj->weight.copy_(at(path + "out_proj.weight"));
    if (options_.bias) {
      multihead->in_proj_bias.copy_(rows(".bias"));
      multihead->out_proj->bias.copy_(at(path + "out_proj.bias"));
    }
    at::Tensor mask;
    if (options_.causal) {
      mask = at::full({x.size(1), x.size(1)}, -std::numeric_limits<double>::infinity()).triu(1);
    }
    const at::Tensor by_token = x.transpose(0, 1);
    return std::get<0>(multihead->forward(by_token, by_token, by_token, {}, true, mask))
        .transpose(0, 1);
  }

  TransformerOptions options_;
  std::map<std::string, at::Tensor> values_;
};

/// Norms start at 1 and 0, where a mix-up of them would not show.
void move_norms(const torch::nn::Module& model) {
  for (const NamedValue& value : named_values(model)) {
    if (value.path.find("norm") != std::string::npos) {
      value.value.add_(normal(value.value.sizes(), value.path.size()));
    }
  }
}

TEST(Transformer, IsOneOfLibTorchsModules) {
  const at::Tensor tokens = whole_numbers(kVocabulary, {3, 5}, 1);
  for (const std::string mode : {"full", "none"}) {
    for (const bool causal : {true, false}) {
      for (const bool tied : {true, false}) {
        for (const bool bias : {true, false}) {
          for (const bool packed : {true, false}) {
            TransformerOptions options = small_transformer(attention_mode(mode), packed);
            options.causal = causal;
            options.tie_head = tied;
            options.bias = bias;
            const auto model = make_model<Transformer>(options, 3);
            move_norms(*model);
            EXPECT_TRUE(near(model->forward(input_of(tokens)).logits,
                             PlainTransformer(model, options).logits(tokens)))
                << mode << " causal " << causal << " tied " << tied << " bias " << bias;
          }
        }
      }
    }
  }
}

TEST(Transformer, WithOtherOptionsIsOneOfLibTorchsModulesToo) {
  const at::Tensor tokens = whole_numbers(kVocabulary, {3, 5}, 1);
  for (const std::string mode : {"full", "none"}) {
    for (const auto& [name, options] : option_variants(small_transformer(attention_mode(mode)))) {
      const auto model = make_model<Transformer>(options, 3);
      move_norms(*model);
      EXPECT_TRUE(near(model->forward(input_of(tokens)).logits,
                       PlainTransformer(model, options).logits(tokens)))
          << mode << ", " << name;
    }
  }
}

TEST(Transformer, HasTheDocumentedIntermediates) {
  const auto model = make_model<Transformer>(small_transformer(attention_mode("full")), 3);
  const TransformerForward found =
      model->forward(input_of(whole_numbers(kVocabulary, {3, 5}, 1)), nullptr, Keep::kEverything);
  EXPECT_EQ(found.x.sizes(), at::IntArrayRef({3, 5, 4}));
  ASSERT_EQ(found.blocks.size(), 2u);
  const BlockForward& block = found.blocks[1];
  EXPECT_EQ(block.attention.projected.query.sizes(), at::IntArrayRef({3, 2, 5, 2}));
  EXPECT_EQ(block.attention.attention.weights.sizes(), at::IntArrayRef({3, 2, 5, 5}));
  EXPECT_EQ(block.attention.attention.context.sizes(), at::IntArrayRef({3, 2, 5, 2}));
  EXPECT_EQ(block.attention.output.sizes(), at::IntArrayRef({3, 5, 4}));
  EXPECT_EQ(block.mlp.hidden.sizes(), at::IntArrayRef({3, 5, 12}));
  EXPECT_EQ(found.logits.sizes(), at::IntArrayRef({3, 5, kVocabulary}));
}

TEST(Transformer, ASequenceThatIsTooLongIsRefused) {
  const auto model = make_model<Transformer>(small_transformer(attention_mode("full")), 3);
  EXPECT_NO_THROW(model->forward(input_of(at::zeros({1, kMaxLength}, at::kLong))));
  EXPECT_THROW(model->forward(input_of(at::zeros({1, kMaxLength + 1}, at::kLong))), c10::Error);
  TransformerOptions options = small_transformer(attention_mode("full"));
  options.position = PositionKind::kNone;
  EXPECT_NO_THROW(make_model<Transformer>(options, 3)
                      ->forward(input_of(at::zeros({1, kMaxLength + 1}, at::kLong))));
}

TEST(Transformer, DropsAtEverySiteUnlessThereIsNoStep) {
  const at::Tensor tokens = whole_numbers(kVocabulary, {3, 5}, 1);
  DropoutStep step;
  step.sources.emplace_back(RandomScheme::kKeyed, 3);
  const auto plain = make_model<Transformer>(small_transformer(attention_mode("full")), 3);
  const at::Tensor expected = plain->forward(input_of(tokens)).logits;
  for (double TransformerOptions::*site :
       {&TransformerOptions::attention_dropout, &TransformerOptions::residual_dropout,
        &TransformerOptions::embedding_dropout}) {
    TransformerOptions options = small_transformer(attention_mode("full"));
    options.*site = 0.5;
    const auto model = make_model<Transformer>(options, 3);
    EXPECT_TRUE(same(model->forward(input_of(tokens)).logits, expected));
    const at::Tensor dropped = model->forward(input_of(tokens), &step).logits;
    EXPECT_FALSE(dropped.equal(expected));
    EXPECT_TRUE(same(model->forward(input_of(tokens), &step).logits, dropped));
    DropoutStep next = step;
    next.step = 1;
    EXPECT_FALSE(model->forward(input_of(tokens), &next).logits.equal(dropped));
  }
}

TEST(Transformer, LayersAndSublayersDropDifferently) {
  TransformerOptions options = small_transformer(attention_mode("full"));
  options.attention_dropout = options.residual_dropout = 0.5;
  const auto model = make_model<Transformer>(options, 3);
  DropoutStep step;
  step.sources.emplace_back(RandomScheme::kKeyed, 3);
  const TokenInput input = input_of(whole_numbers(kVocabulary, {3, 5}, 1));
  const TransformerForward found = model->forward(input, &step, Keep::kEverything);
  // By element, which of the block's two sublayers were kept (and doubled): [both, MLP, attention,
  // neither].
  const auto kept = [&](size_t layer) {
    const at::Tensor before = layer == 0 ? found.x : found.blocks[layer - 1].output;
    const BlockForward& block = found.blocks[layer];
    const at::Tensor added = block.output - before;
    const at::Tensor both = block.attention.output * 2 + block.mlp.output * 2;
    return at::stack({(added - both).abs() < 1e-5, (added - block.mlp.output * 2).abs() < 1e-5,
                      (added - block.attention.output * 2).abs() < 1e-5, added.abs() < 1e-5});
  };
  const at::Tensor first = kept(0), second = kept(1);
  EXPECT_TRUE(first.any(0).all().item<bool>());
  EXPECT_TRUE(second.any(0).all().item<bool>());
  // All four combinations occur: the sites draw apart from each other, and so do the layers.
  for (int64_t kind = 0; kind < 4; ++kind) EXPECT_TRUE(first[kind].any().item<bool>()) << kind;
  EXPECT_FALSE(first.equal(second));
}

TEST(Transformer, EachLayersAttentionDropsAsItsSiteIsKeyed) {
  TransformerOptions options = small_transformer(attention_mode("full"));
  options.attention_dropout = 0.5;
  const auto model = make_model<Transformer>(options, 3);
  DropoutStep step;
  step.step = 9;
  step.sources.emplace_back(RandomScheme::kKeyed, 3);
  // Of one token each: a head's context is either dropped or doubled.
  const TransformerForward found =
      model->forward(input_of(whole_numbers(kVocabulary, {40, 1}, 1)), &step, Keep::kEverything);
  for (const std::string layer : {"0", "1"}) {
    const auto& trace = found.blocks[std::stoul(layer)].attention;
    const std::string purpose = "dropout/9/blocks." + layer + ".attention.weights";
    const at::Tensor keep = keyed_mask({40, 2, 1, 1}, 0.5, step.sources[0].generator(purpose));
    EXPECT_TRUE(near(trace.attention.context, trace.projected.value * keep * 2)) << layer;
  }
}

}  // namespace
}  // namespace qkvlab

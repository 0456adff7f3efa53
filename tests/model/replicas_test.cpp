// R stacked replicas compute and learn what R single models compute and learn.
#include "model/replicas.hpp"

#include "layers/loss.hpp"
#include "support/models.hpp"
#include "support/modes.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

constexpr int64_t kReplicas = 3, kBatch = 2, kTokens = 4;
constexpr double kRate = 0.1;

/// Float as in runs, and double, where nothing but a fault can differ by more than 1e-12.
constexpr at::ScalarType kTypes[] = {at::kFloat, at::kDouble};
double tolerance(at::ScalarType type) { return type == at::kFloat ? 1e-6 : 1e-12; }

template <typename Model, typename Options>
std::vector<Model> make_singles(const Options& options, at::ScalarType type = at::kFloat) {
  std::vector<Model> models;
  for (uint64_t seed = 0; seed < kReplicas; ++seed) {
    models.push_back(make_model<Model>(options, 40 + seed));
    models.back()->to(type);
  }
  return models;
}

/// Wider than the other tests': a layer norm over few numbers magnifies float's rounding.
TransformerOptions wide_transformer(const ProjectionPlan& plan, bool packed) {
  TransformerOptions options = small_transformer(plan, packed);
  options.width = 16;
  return options;
}

/// Tokens, validity and targets, each the same for all replicas or one of its own for each.
struct Data {
  TokenInput input;
  at::Tensor targets;
  bool per_replica = false;

  TokenInput input_of_replica(int64_t r) const {
    if (!per_replica) return input;
    return input_of(input.tokens[r], input.valid.defined() ? input.valid[r] : at::Tensor());
  }
  at::Tensor targets_of_replica(int64_t r) const { return per_replica ? targets[r] : targets; }
};

Data make_data(bool padded, bool per_replica, int64_t classes, bool target_per_token) {
  std::vector<int64_t> shape = {kBatch, kTokens};
  if (per_replica) shape.insert(shape.begin(), kReplicas);
  Data data;
  data.input.tokens = whole_numbers(kVocabulary, shape, 1);
  if (padded) {
    data.input.valid = normal(shape, 2) > 0;
    data.input.valid.select(-1, 1).fill_(true);
  }
  data.per_replica = per_replica;
  if (!target_per_token) shape.pop_back();
  data.targets = whole_numbers(classes, shape, 3);
  if (padded && target_per_token) data.targets.masked_fill_(~data.input.valid, kUnsupervised);
  return data;
}

/// Two steps of gradient descent, compared with the single models taking the same.
template <typename Model, typename Options>
void expect_like_singles(const Options& options, const Data& data, at::ScalarType type) {
  const double allowed = tolerance(type);
  std::vector<Model> singles = make_singles<Model>(options, type);
  Model stacked = stack_replicas(make_singles<Model>(options, type));
  ASSERT_EQ(stacked->replicas(), kReplicas);
  ASSERT_EQ(singles.front()->replicas(), 0);
  torch::optim::SGD optimizer(stacked->parameters(), torch::optim::SGDOptions(kRate));
  for (int step = 0; step < 2; ++step) {
    SCOPED_TRACE(testing::Message() << "step " << step);
    stacked->zero_grad();
    const at::Tensor logits = stacked->forward(data.input).logits;
    const at::Tensor losses = cross_entropy(logits, data.targets, kReplicas);
    ASSERT_EQ(losses.sizes(), at::IntArrayRef({kReplicas}));
    losses.sum().backward();
    const auto stacked_values = named_values(*stacked);
    for (int64_t r = 0; r < kReplicas; ++r) {
      SCOPED_TRACE(testing::Message() << "replica " << r);
      Model& single = singles[r];
      single->zero_grad();
      const at::Tensor own = single->forward(data.input_of_replica(r)).logits;
      const at::Tensor loss = cross_entropy(own, data.targets_of_replica(r));
      loss.backward();
      EXPECT_TRUE(near(logits[r], own, allowed));
      EXPECT_TRUE(near(losses[r], loss, allowed));
      const auto values = named_values(*single);
      ASSERT_EQ(values.size(), stacked_values.size());
      for (size_t i = 0; i < values.size(); ++i) {
        SCOPED_TRACE(values[i].path);
        ASSERT_EQ(stacked_values[i].path, values[i].path);
        EXPECT_TRUE(near(stacked_values[i].value[r], values[i].value, allowed));
        ASSERT_EQ(stacked_values[i].gradient.defined(), values[i].gradient.defined());
        if (!values[i].gradient.defined()) continue;
        EXPECT_TRUE(near(stacked_values[i].gradient[r], values[i].gradient, allowed));
      }
      torch::optim::SGD(single->parameters(), torch::optim::SGDOptions(kRate)).step();
    }
    optimizer.step();
  }
}

class EveryModesReplicas : public EveryMode {};

TEST_P(EveryModesReplicas, OfTheSentimentTraceAreSingleModels) {
  for (const bool packed : {false, true}) {
    for (const bool padded : {false, true}) {
      for (const bool per_replica : {false, true}) {
        SCOPED_TRACE(testing::Message() << "packed " << packed << " padded " << padded
                                        << " per replica " << per_replica);
        const SentimentTraceOptions options = small_sentiment(plan(), packed);
        const Data data = make_data(padded, per_replica, options.classes, false);
        for (const auto type : kTypes) expect_like_singles<SentimentTrace>(options, data, type);
      }
    }
  }
}

TEST_P(EveryModesReplicas, OfTheTransformerAreSingleModels) {
  for (const bool packed : {false, true}) {
    for (const bool padded : {false, true}) {
      for (const bool per_replica : {false, true}) {
        for (const bool tied : {false, true}) {
          SCOPED_TRACE(testing::Message() << "packed " << packed << " padded " << padded
                                          << " per replica " << per_replica << " tied " << tied);
          TransformerOptions options = wide_transformer(plan(), packed);
          options.tie_head = tied;
          options.causal = !tied;  // both, without another loop
          const Data data = make_data(padded, per_replica, kVocabulary, true);
          for (const auto type : kTypes) expect_like_singles<Transformer>(options, data, type);
        }
      }
    }
  }
}

TEST_P(EveryModesReplicas, OfTransformersWithOtherOptionsAreSingleModels) {
  for (const auto& [name, options] : option_variants(wide_transformer(plan(), false))) {
    for (const bool padded : {false, true}) {
      for (const bool per_replica : {false, true}) {
        SCOPED_TRACE(testing::Message()
                     << name << ", padded " << padded << " per replica " << per_replica);
        const bool per_token = options.output == OutputKind::kToken;
        const Data data = make_data(padded, per_replica, kVocabulary, per_token);
        expect_like_singles<Transformer>(options, data, at::kDouble);
      }
    }
  }
}

TEST_P(EveryModesReplicas, DropWhatTheirSingleModelsDrop) {
  TransformerOptions options = wide_transformer(plan(), false);
  options.attention_dropout = options.residual_dropout = options.embedding_dropout = 0.3;
  const std::vector<Transformer> singles = make_singles<Transformer>(options);
  const Transformer stacked = stack_replicas(make_singles<Transformer>(options));
  DropoutStep step;
  step.step = 5;
  for (uint64_t seed = 0; seed < kReplicas; ++seed) {
    step.sources.emplace_back(RandomScheme::kKeyed, 40 + seed);
  }
  const Data data = make_data(true, false, kVocabulary, true);
  const at::Tensor logits = stacked->forward(data.input, &step).logits;
  for (int64_t r = 0; r < kReplicas; ++r) {
    DropoutStep own;
    own.step = 5;
    own.sources.push_back(step.sources[r]);
    EXPECT_TRUE(near(logits[r], singles[r]->forward(data.input, &own).logits)) << r;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, EveryModesReplicas, all_modes(), mode_name);

TEST(Replicas, CountEveryReplicasParameters) {
  const auto options = small_transformer(attention_mode("full"));
  const int64_t single = count_parameters(*make_model<Transformer>(options, 1));
  EXPECT_EQ(count_parameters(*stack_replicas(make_singles<Transformer>(options))),
            kReplicas * single);
}

TEST(Replicas, TheFirstModelBecomesTheStackAndTheOthersStay) {
  const auto options = small_sentiment(attention_mode("full"));
  const std::vector<SentimentTrace> models = make_singles<SentimentTrace>(options);
  const at::Tensor second = models[1]->embedding->weight.detach().clone();
  const SentimentTrace stacked = stack_replicas(models);
  EXPECT_EQ(stacked.ptr(), models[0].ptr());
  EXPECT_TRUE(same(models[1]->embedding->weight.detach(), second));
  const at::NoGradGuard no_gradients;
  stacked->embedding->weight.zero_();
  EXPECT_TRUE(same(models[1]->embedding->weight.detach(), second));
}

TEST(Replicas, ModelsThatHaveTrainedAloneGoOnTogether) {
  const auto options = small_sentiment(attention_mode("full"));
  const Data data = make_data(false, false, options.classes, false);
  std::vector<SentimentTrace> singles = make_singles<SentimentTrace>(options);
  std::vector<SentimentTrace> models = make_singles<SentimentTrace>(options);
  const auto train = [&](SentimentTrace& model) {
    model->zero_grad();
    const at::Tensor logits = model->forward(data.input).logits;
    cross_entropy(logits, data.targets, model->replicas()).sum().backward();
    torch::optim::SGD(model->parameters(), torch::optim::SGDOptions(kRate)).step();
  };
  for (SentimentTrace& model : models) train(model);
  SentimentTrace stacked = stack_replicas(models);
  EXPECT_FALSE(stacked->position.grad().defined());
  train(stacked);
  for (int64_t r = 0; r < kReplicas; ++r) {
    train(singles[r]);
    train(singles[r]);
    for (const NamedValue& value : named_values(*singles[r])) {
      EXPECT_TRUE(near(parameter(*stacked, value.path)[r], value.value)) << value.path;
    }
  }
}

TEST(Replicas, AGraphKeptFromTrainingAloneDoesNotMixTheReplicas) {
  const auto options = small_sentiment(attention_mode("full"));
  const Data data = make_data(false, false, options.classes, false);
  const std::vector<SentimentTrace> models = make_singles<SentimentTrace>(options);
  std::vector<at::Tensor> kept;
  std::vector<at::Tensor> alone;
  for (const SentimentTrace& model : models) {
    kept.push_back(cross_entropy(model->forward(data.input).logits, data.targets));
    kept.back().backward({}, /*retain_graph=*/true);
    alone.push_back(model->head->weight.grad().clone());
  }
  const SentimentTrace stacked = stack_replicas(models);
  cross_entropy(stacked->forward(data.input).logits, data.targets, kReplicas).sum().backward();
  EXPECT_TRUE(near(stacked->head->weight.grad(), at::stack(alone)));
}

TEST(Replicas, ModelsOfDifferentArchitectureAreRefused) {
  const auto one = make_model<SentimentTrace>(small_sentiment(attention_mode("full")), 1);
  const auto other = make_model<SentimentTrace>(small_sentiment(attention_mode("shared_qk")), 1);
  EXPECT_THROW(stack_replicas<SentimentTrace>({one, other}), c10::Error);
  SentimentTraceOptions wider = small_sentiment(attention_mode("full"));
  wider.width = 8;
  EXPECT_THROW(stack_replicas<SentimentTrace>({one, make_model<SentimentTrace>(wider, 1)}),
               c10::Error);
}

}  // namespace
}  // namespace qkvlab

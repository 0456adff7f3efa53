// The number of LibTorch calls of a training step does not grow with the number of replicas.
#include <ATen/record_function.h>

#include <atomic>

#include "layers/loss.hpp"
#include "model/replicas.hpp"
#include "support/models.hpp"
#include "support/modes.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

std::atomic<int64_t> calls{0};

/// Counts operators, forwards and backwards, while it lives.
class CallCounter {
 public:
  CallCounter() {
    calls = 0;
    handle_ = at::addGlobalCallback(
        at::RecordFunctionCallback([](const at::RecordFunction&)
                                       -> std::unique_ptr<at::ObserverContext> {
          ++calls;
          return nullptr;
        }).scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
  }
  ~CallCounter() { at::removeCallback(handle_); }
  CallCounter(const CallCounter&) = delete;
  CallCounter& operator=(const CallCounter&) = delete;

  int64_t count() const { return calls; }

 private:
  at::CallbackHandle handle_;
};

/// Calls of one step, forward to update, after one step that sets up what is set up once.
template <typename Model, typename Options>
int64_t calls_of_a_step(const Options& options, uint64_t replicas, const TokenInput& input,
                        const at::Tensor& targets) {
  std::vector<Model> models;
  for (uint64_t seed = 0; seed < replicas; ++seed) {
    models.push_back(make_model<Model>(options, seed));
  }
  const Model stacked = stack_replicas(models);
  torch::optim::SGD optimizer(stacked->parameters(), torch::optim::SGDOptions(0.1));
  const auto step = [&] {
    optimizer.zero_grad();
    cross_entropy(stacked->forward(input).logits, targets, static_cast<int64_t>(replicas))
        .sum()
        .backward();
    optimizer.step();
  };
  step();
  const CallCounter counter;
  step();
  return counter.count();
}

class EveryModesOperatorCount : public EveryMode {};

TEST_P(EveryModesOperatorCount, IsTheSameForThreeAndThirtyReplicas) {
  const at::Tensor tokens = whole_numbers(kVocabulary, {2, 4}, 1);
  const at::Tensor valid = bools({1, 1, 1, 0, 0, 1, 1, 1}, {2, 4});
  for (const TokenInput& input : {input_of(tokens), input_of(tokens, valid)}) {
    const at::Tensor labels = at::tensor({2, 0}, at::kLong);
    const auto sentiment = [&](uint64_t replicas) {
      return calls_of_a_step<SentimentTrace>(small_sentiment(plan()), replicas, input, labels);
    };
    const auto transformer = [&](uint64_t replicas) {
      return calls_of_a_step<Transformer>(small_transformer(plan()), replicas, input, tokens);
    };
    EXPECT_GT(sentiment(3), 20);
    EXPECT_EQ(sentiment(3), sentiment(30));
    EXPECT_EQ(transformer(3), transformer(30));
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, EveryModesOperatorCount, all_modes(), mode_name);

}  // namespace
}  // namespace qkvlab

// The eight-sentence classifier against every tensor of the equivalent PyTorch program.
#include <cstdlib>
#include <iostream>

#include "layers/loss.hpp"
#include "support/models.hpp"
#include "support/reference.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

/// Whether last bits are wanted too: QKVLAB_REFERENCE_BITS=1 in the environment.
bool wants_bits() {
  const char* const wanted = std::getenv("QKVLAB_REFERENCE_BITS");
  return wanted != nullptr && std::string(wanted) == "1";
}

class SentimentReference : public testing::TestWithParam<bool> {
 protected:
  SentimentReference()
      : reference(load_reference("sentiment8_seed31.json")),
        tokens(tensor_of(reference["token_ids"], at::kLong)),
        labels(tensor_of(reference["labels"], at::kLong)),
        model(make_model<SentimentTrace>(options(), 31, RandomScheme::kTorchStream)),
        optimizer(model->parameters(), torch::optim::SGDOptions(0.3)) {}

  SentimentTraceOptions options() const {
    SentimentTraceOptions result;
    result.vocabulary = static_cast<int64_t>(reference["vocabulary"].size());
    result.max_length = tokens.size(1);
    result.packed = GetParam();
    return result;
  }

  /// Within 1e-6 of the reference. Last bits depend on the processor's BLAS kernels, so that a
  /// difference there is told and recorded, and a failure only where bits are wanted. Projections
  /// that are stored as one are multiplied otherwise.
  void expect_reference(const std::string& name, const at::Tensor& actual,
                        const at::Tensor& expected) const {
    EXPECT_TRUE(near(actual, expected)) << name;
    const bool same_bits = actual.sizes() == expected.sizes() && at::equal(actual, expected);
    testing::Test::RecordProperty(name, same_bits ? "same bits" : "other bits");
    EXPECT_TRUE(same_bits || GetParam() || !wants_bits()) << name;
    if (!same_bits) {
      std::cout << name << " is not the reference's to the last bit: off by "
                << largest(actual - expected) << "\n";
    }
  }

  void expect_parameters(const std::string& section) const {
    ASSERT_EQ(named_values(*model).size(), reference[section].size());
    for (const NamedValue& value : named_values(*model)) {
      expect_reference(section + "." + value.path, value.value,
                       tensor_of(reference[section][value.path]));
    }
  }

  void expect_gradients() const {
    for (const NamedValue& value : named_values(*model)) {
      expect_reference("first_gradients." + value.path, value.gradient,
                       tensor_of(reference["first_gradients"][value.path]));
      EXPECT_NEAR(value.gradient.norm().item<double>(),
                  reference["first_gradient_norms"][value.path].get<double>(), 1e-6);
    }
  }

  void expect_forward(const SentimentForward& found, const std::string& section,
                      const std::string& probabilities) const {
    const nlohmann::json& expected = reference[section];
    const auto check = [&](const std::string& name, const at::Tensor& actual) {
      expect_reference(section + "." + name, actual.squeeze(0), tensor_of(expected[name]));
    };
    check("x", found.x);
    check("q", found.projected.query);
    check("k", found.projected.key);
    check("v", found.projected.value);
    check("scores", found.attention.scores);
    check("attention", found.attention.weights);
    check("context", found.attention.context);
    expect_reference(section + ".logits", found.logits, tensor_of(expected["logits"]));
    expect_reference(probabilities, found.logits.softmax(-1), tensor_of(reference[probabilities]));
  }

  TokenInput first_sentence() const { return input_of(tokens.narrow(0, 0, 1)); }

  /// Returns the loss before the update.
  at::Tensor take_step(const TokenInput& input, const at::Tensor& targets) {
    optimizer.zero_grad();
    const at::Tensor loss = cross_entropy(model->forward(input).logits, targets);
    loss.backward();
    optimizer.step();
    return loss.detach();
  }

  nlohmann::json reference;
  at::Tensor tokens, labels;
  SentimentTrace model;
  torch::optim::SGD optimizer;
};

TEST_P(SentimentReference, InitialParametersAndFirstForward) {
  expect_parameters("initial_parameters");
  expect_forward(model->forward(first_sentence()), "first_forward", "first_probabilities");
}

TEST_P(SentimentReference, FirstLossGradientsAndStep) {
  const at::Tensor loss = take_step(first_sentence(), labels.narrow(0, 0, 1));
  expect_reference("first_loss", loss, tensor_of(reference["first_loss"]));
  expect_gradients();
  expect_parameters("parameters_after_first_step");
}

TEST_P(SentimentReference, AHundredEpochs) {
  const std::vector<NamedValue> initial = named_values(*model);
  std::vector<at::Tensor> before;
  for (const NamedValue& value : initial) before.push_back(value.value.clone());

  take_step(first_sentence(), labels.narrow(0, 0, 1));
  const nlohmann::json& curve = reference["curve"];
  ASSERT_EQ(curve.size(), 100u);
  std::vector<at::Tensor> losses, expected_losses;
  for (const auto& epoch : curve) {
    losses.push_back(take_step(input_of(tokens), labels));
    expected_losses.push_back(tensor_of(epoch["loss"]));
    const at::Tensor logits = model->forward(input_of(tokens)).logits;
    EXPECT_FLOAT_EQ(accuracy(logits, labels).item<float>(), epoch["accuracy"].get<float>())
        << "epoch " << epoch["epoch"];
  }
  expect_reference("curve", at::stack(losses), at::stack(expected_losses));
  expect_parameters("final_parameters");
  expect_forward(model->forward(first_sentence()), "final_forward", "final_probabilities");

  const std::vector<NamedValue> trained = named_values(*model);
  for (size_t i = 0; i < trained.size(); ++i) {
    const std::string name = trained[i].path.substr(0, trained[i].path.find('.'));
    if (!reference["total_change_norm"].contains(name)) continue;
    EXPECT_NEAR((trained[i].value - before[i]).norm().item<double>(),
                reference["total_change_norm"][name].get<double>(), 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(Storage, SentimentReference, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& storage) {
                           return storage.param ? std::string("packed") : std::string("separate");
                         });

}  // namespace
}  // namespace qkvlab

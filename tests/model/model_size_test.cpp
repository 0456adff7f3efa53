// The closed forms of config/model_size.hpp against the models themselves: parameters by part, and
// the multiply-adds of every matrix product that a forward pass calls.
#include "config/model_size.hpp"

#include <ATen/record_function.h>

#include <atomic>
#include <map>

#include "model/model.hpp"
#include "support/models.hpp"
#include "support/modes.hpp"
#include "support/tensors.hpp"

namespace qkvlab {
namespace {

/// A config and the task that it is to fit.
struct Sized {
  std::string name;
  ModelConfig model;
  TaskShape shape;
};

/// Sizes that differ wherever a mix-up could hide.
constexpr int64_t kLength = 5;

TaskShape shape_of(int64_t outputs, bool per_token) {
  TaskShape shape;
  shape.vocabulary = kVocabulary;
  shape.outputs = outputs;
  shape.length = kLength;
  shape.per_token = per_token;
  return shape;
}

/// Both kinds of model with this plan, the transformer with several sets of options.
std::vector<Sized> sized_models(const ProjectionPlan& plan) {
  TransformerConfig base;
  base.d_model = 12;
  base.n_layers = 3;
  base.n_heads = 2;
  base.max_length = kMaxLength;
  base.attention.plan = plan;
  base.mlp->ratio = 3;
  base.output = OutputKind::kToken;
  std::vector<Sized> models;
  const auto add = [&](const std::string& name, const TaskShape& shape, const auto& change) {
    TransformerConfig config = base;
    change(config);
    models.push_back({name, config, shape});
  };
  using Config = TransformerConfig;
  const TaskShape tokens = shape_of(kVocabulary, true), classes = shape_of(4, false);
  add("as it is", tokens, [](Config&) {});
  add("untied", tokens, [](Config& c) { c.tie_head = false; });
  add("one hot", tokens, [](Config& c) {
    c.embedding = EmbeddingKind::kOneHot;
    c.tie_head = false;
  });
  add("one hot without bias", tokens, [](Config& c) {
    c.embedding = EmbeddingKind::kOneHot;
    c.tie_head = c.bias = false;
  });
  add("without bias, packed", tokens, [](Config& c) {
    c.bias = false;
    c.attention.packed = true;
  });
  add("packed", tokens, [](Config& c) { c.attention.packed = true; });
  add("no MLP", tokens, [](Config& c) { c.mlp.reset(); });
  add("post-norm", tokens, [](Config& c) { c.norm = NormPlace::kPost; });
  add("post-norm, no MLP, no position", tokens, [](Config& c) {
    c.norm = NormPlace::kPost;
    c.mlp.reset();
    c.position = PositionKind::kNone;
  });
  add("last", classes, [](Config& c) {
    c.output = OutputKind::kLast;
    c.tie_head = false;
  });
  add("mean, post-norm", classes, [](Config& c) {
    c.output = OutputKind::kMean;
    c.norm = NormPlace::kPost;
    c.tie_head = false;
  });
  for (const bool packed : {false, true}) {
    SentimentTraceConfig trace;
    trace.attention = {plan, packed};
    models.push_back({packed ? "sentences, packed" : "sentences", trace, classes});
  }
  return models;
}

std::shared_ptr<ModelImpl> built(const Sized& sized) {
  // Under torch_stream every product is LibTorch's, and so can be counted.
  return make_model(sized.model, sized.shape, RandomSource(RandomScheme::kTorchStream, 1));
}

/// The part of a model that a parameter belongs to, by its path alone.
std::string part_of(const std::string& path) {
  const auto has = [&](const char* word) { return path.find(word) != std::string::npos; };
  if (has("position")) return "position";
  if (has("embedding")) return "token";
  if (has("norm")) return "norms";
  if (has("mlp.")) return "mlp";
  if (has("_proj.")) return "attention";
  return path.rfind("head.", 0) == 0 ? "head" : "no part: " + path;
}

std::atomic<int64_t> multiply_adds{0};

/// Adds up the matrix products called while it lives, from the sizes of what they multiply.
class ProductCounter {
 public:
  ProductCounter() {
    multiply_adds = 0;
    handle_ = at::addGlobalCallback(
        at::RecordFunctionCallback(
            [](const at::RecordFunction& call) -> std::unique_ptr<at::ObserverContext> {
              count_call(call);
              return nullptr;
            })
            .needsInputs(true)
            .scopes({at::RecordScope::FUNCTION}));
  }
  ~ProductCounter() { at::removeCallback(handle_); }
  ProductCounter(const ProductCounter&) = delete;
  ProductCounter& operator=(const ProductCounter&) = delete;

  static double flops() { return 2.0 * static_cast<double>(multiply_adds); }

 private:
  static void count_call(const at::RecordFunction& call) {
    const std::string name = call.name();
    const bool adds = name == "aten::addmm" || name == "aten::baddbmm";
    if (!adds && name != "aten::mm" && name != "aten::bmm") return;
    const auto inputs = call.inputs();
    const at::Tensor left = inputs[adds ? 1 : 0].toTensor(),
                     right = inputs[adds ? 2 : 1].toTensor();
    multiply_adds += left.numel() * right.size(-1);
  }

  at::CallbackHandle handle_;
};

class EveryModesModelSize : public EveryMode {};

TEST_P(EveryModesModelSize, IsThatOfTheModelPartByPart) {
  for (const Sized& sized : sized_models(plan())) {
    SCOPED_TRACE(sized.name);
    std::map<std::string, int64_t> counted = {{"token", 0}, {"position", 0}, {"attention", 0},
                                              {"mlp", 0},   {"norms", 0},    {"head", 0}};
    const auto model = built(sized);
    for (const NamedValue& value : named_values(*model)) {
      counted[part_of(value.path)] += value.value.numel();
    }
    const ModelSize size = model_size(sized.model, sized.shape);
    const std::map<std::string, int64_t> expected = {
        {"token", size.token_embedding}, {"position", size.position_embedding},
        {"attention", size.attention},   {"mlp", size.mlp},
        {"norms", size.norms},           {"head", size.head}};
    EXPECT_EQ(counted, expected);
    EXPECT_EQ(size.parameters(), count_parameters(*model));
  }
}

TEST_P(EveryModesModelSize, HasTheFlopsOfTheProductsThatAreCalled) {
  constexpr int64_t kSequences = 4;
  const TokenInput input = input_of(whole_numbers(kVocabulary, {kSequences, kLength}, 1));
  for (const Sized& sized : sized_models(plan())) {
    SCOPED_TRACE(sized.name);
    const auto model = built(sized);
    const ProductCounter counter;
    model->logits(input, {}, nullptr);
    double flops = ProductCounter::flops();
    // A lookup as a product with one-hot tokens is none by the convention of the closed form.
    const auto* transformer = std::get_if<TransformerConfig>(&sized.model);
    if (transformer != nullptr && transformer->embedding == EmbeddingKind::kOneHot) {
      flops -= 2.0 * kSequences * kLength * kVocabulary * static_cast<double>(transformer->d_model);
    }
    EXPECT_GT(flops, 0);
    EXPECT_DOUBLE_EQ(model_size(sized.model, sized.shape).forward_flops,
                     flops / (kSequences * kLength));
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, EveryModesModelSize, all_modes(), mode_name);

}  // namespace
}  // namespace qkvlab

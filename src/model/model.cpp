#include "model/model.hpp"

#include "model/sentiment_trace.hpp"
#include "model/transformer.hpp"

namespace qkvlab {

namespace {

OutputKind output_for(OutputKind wanted, const TaskShape& shape) {
  if (wanted == OutputKind::kAuto) {
    return shape.per_token ? OutputKind::kToken : OutputKind::kLast;
  }
  TORCH_CHECK((wanted == OutputKind::kToken) == shape.per_token,
              "a task with targets for tokens needs logits for tokens, and one with targets for "
              "sequences needs logits for sequences");
  return wanted;
}

std::shared_ptr<ModelImpl> build(const TransformerConfig& config, const TaskShape& shape,
                                 const RandomSource& source) {
  TransformerOptions options;
  options.plan = config.attention.plan;
  options.vocabulary = shape.vocabulary;
  options.outputs = shape.outputs;
  options.max_length = config.max_length;
  options.width = config.d_model;
  options.layers = config.n_layers;
  options.heads = config.n_heads;
  options.mlp = config.mlp;
  options.norm = config.norm;
  options.position = config.position;
  options.embedding = config.embedding;
  options.output = output_for(config.output, shape);
  options.causal = config.causal;
  options.tie_head = config.tie_head;
  options.bias = config.bias;
  options.packed = config.attention.packed;
  options.exact = source.scheme() == RandomScheme::kTorchStream;
  options.attention_dropout = config.dropout.attention;
  options.residual_dropout = config.dropout.residual;
  options.embedding_dropout = config.dropout.embedding;
  const InitialScales scales{config.init, config.n_layers};
  return std::make_shared<TransformerImpl>(options, InitialValues(source, scales));
}

std::shared_ptr<ModelImpl> build(const SentimentTraceConfig& config, const TaskShape& shape,
                                 const RandomSource& source) {
  TORCH_CHECK(!shape.per_token, "the classifier of sentences has no logits for tokens");
  SentimentTraceOptions options;
  options.plan = config.attention.plan;
  options.vocabulary = shape.vocabulary;
  options.max_length = shape.length;
  options.classes = shape.outputs;
  options.width = config.d_model;
  options.packed = config.attention.packed;
  options.exact = source.scheme() == RandomScheme::kTorchStream;
  return std::make_shared<SentimentTraceImpl>(options, InitialValues(source));
}

}  // namespace

NamedTensors ModelImpl::intermediates(const TokenInput& input) const {
  NamedTensors all;
  visit_intermediates(input, {}, nullptr, [&](const std::string& name, const at::Tensor& value) {
    all.emplace_back(name, value);
    return true;
  });
  return all;
}

bool visit_defined(const ModelImpl::Visitor& visit, const std::string& prefix,
                   const NamedTensors& tensors) {
  for (const auto& [name, tensor] : tensors) {
    if (tensor.defined() && !visit(prefix + name, tensor)) return false;
  }
  return true;
}

std::shared_ptr<ModelImpl> make_model(const ModelConfig& config, const TaskShape& shape,
                                      const RandomSource& source) {
  return std::visit([&](const auto& one) { return build(one, shape, source); }, config);
}

}  // namespace qkvlab

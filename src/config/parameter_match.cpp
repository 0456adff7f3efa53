#include "config/parameter_match.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "config/model_fields.hpp"

namespace qkvlab {

MlpConfig* mlp_of(ModelConfig& model) {
  auto* transformer = std::get_if<TransformerConfig>(&model);
  return transformer != nullptr && transformer->mlp ? &*transformer->mlp : nullptr;
}

int64_t width_of(const ModelConfig& model) {
  return std::visit([](const auto& typed) { return typed.d_model; }, model);
}

int64_t matching_hidden_width(ModelConfig model, const TaskShape& shape, int64_t parameters) {
  MlpConfig* mlp = mlp_of(model);
  require(mlp != nullptr, "a model to be matched has an MLP");
  const auto count = [&](int64_t hidden) {
    mlp->hidden = hidden;
    return model_size(model, shape).parameters();
  };
  // Parameters grow with the hidden width in a straight line.
  const int64_t narrowest = count(kHiddenWidths.low);
  const int64_t each = count(kHiddenWidths.low + 1) - narrowest;
  const int64_t missing = std::max<int64_t>(parameters - narrowest, 0);
  const int64_t more = missing / each + (2 * (missing % each) > each ? 1 : 0);
  return std::min(kHiddenWidths.low + more, kHiddenWidths.high);
}

}  // namespace qkvlab

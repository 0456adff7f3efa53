#include "config/parameter_match.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace qkvlab {
namespace {

TaskShape shape() {
  TaskShape shape;
  shape.vocabulary = shape.outputs = 7;
  shape.length = 5;
  return shape;
}

ModelConfig small(const std::string& mode, bool bias) {
  TransformerConfig model;
  model.d_model = 6;
  model.n_layers = 3;
  model.attention.plan = attention_mode(mode);
  model.bias = bias;
  return model;
}

int64_t parameters(ModelConfig model, int64_t hidden) {
  mlp_of(model)->hidden = hidden;
  return model_size(model, shape()).parameters();
}

TEST(ParameterMatch, IsTheNearestOfAllHiddenWidths) {
  for (const bool bias : {true, false}) {
    for (const char* mode : {"full", "uniform", "none"}) {
      const ModelConfig model = small(mode, bias);
      for (int64_t wanted = 1; wanted < 1500; wanted += 1) {
        int64_t nearest = 1;
        for (int64_t hidden = 2; hidden < 60; ++hidden) {
          if (std::abs(parameters(model, hidden) - wanted) <
              std::abs(parameters(model, nearest) - wanted)) {
            nearest = hidden;
          }
        }
        ASSERT_EQ(matching_hidden_width(model, shape(), wanted), nearest) << mode << wanted;
      }
    }
  }
}

TEST(ParameterMatch, StaysWithinWhatAConfigMaySay) {
  EXPECT_EQ(matching_hidden_width(small("full", true), shape(), 0), 1);
  EXPECT_EQ(matching_hidden_width(small("full", true), shape(), INT64_MAX), 64 * 65536);
}

TEST(ParameterMatch, OnlyATransformerWithAnMlpHasOne) {
  ModelConfig trace = SentimentTraceConfig{};
  EXPECT_EQ(mlp_of(trace), nullptr);
  EXPECT_EQ(width_of(trace), 8);
  TransformerConfig without;
  without.mlp.reset();
  ModelConfig model = without;
  EXPECT_EQ(mlp_of(model), nullptr);
  EXPECT_THROW(matching_hidden_width(model, shape(), 100), std::logic_error);
}

}  // namespace
}  // namespace qkvlab

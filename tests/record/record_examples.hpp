#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "record/record_lines.hpp"
#include "support/numbers.hpp"

namespace qkvlab {

inline const std::string kOdd = "注意力 \"quoted\" \\ \n\t\x01\x7F 🙂";

// Floats whose text is easily got wrong; 7.038531e-26f reads back as its neighbour by way of a
// double.
inline const std::vector<float> kFloats = {0.1f,       -0.0f,         1e-45f, 7.038531e-26f,
                                           1e10f,      3.4028235e38f, kNan,   kInfinity,
                                           -kInfinity, 16777216.0f,   -1.5f,  0.0f};

inline RunRecord run_record() {
  RunRecord r;
  r.run = "0123456789abcdef";
  r.experiment = "sentiment";
  r.variant = kOdd;
  r.cell = {
      {"model.n_layers", "3"}, {"model.attention", R"({"mode":"none"})"}, {"task.kind", R"("注")"}};
  r.seed = std::numeric_limits<int64_t>::max();
  r.config = R"({"name": "注", "lr": 1e-3, "list": [1,  2.50]})";
  r.parameters_total = 1234;
  r.parameters_attention = 567;
  r.initial_digests = {{"q_proj.weight", "2d06800538d394c2"}, {"blocks.0.a", "78af5f94892f3950"}};
  r.replicas = 30;
  r.environment = {{"libtorch", "1.13.1"}, {"odd", kOdd}};
  return r;
}

inline StepRecord step_record() { return {"0123456789abcdef", 7, 0.1f, 3e-4, 7.038531e-26f}; }

inline GradientsRecord gradients_record() {
  GradientsRecord r{"0123456789abcdef", 10, {}};
  for (size_t i = 0; i < kFloats.size(); ++i)
    r.norms.emplace_back("p" + std::to_string(i), kFloats[i]);
  return r;
}

inline EvaluationRecord evaluation_record() {
  return {"0123456789abcdef", 10, "train", kNan, {{"accuracy", 0.875f}, {"注", -kInfinity}}};
}

inline AttentionRecord attention_record() {
  AttentionRecord r;
  r.run = "0123456789abcdef";
  r.step = 100;
  r.layer = 1;
  r.head = 2;
  r.sample = 3;
  r.tokens = {"我", kOdd, ""};
  r.queries = 2;
  r.keys = 3;
  r.weights = {0.1f, 0.2f, 0.7f, 1.0f, 0.0f, 1e-45f};
  r.entropy = {0.8018186f, 0.0f};
  r.diagonal = 0.05f;
  return r;
}

inline TensorRecord tensor_record() {
  return {"0123456789abcdef", "forward", "blocks.0.attention.scores", {2, 1, 6}, kFloats};
}

inline EndRecord end_record() {
  EndRecord r;
  r.run = "0123456789abcdef";
  r.status = "diverged";
  r.reason = kOdd;
  r.steps = 100;
  r.metrics = {{"train.loss", std::numeric_limits<double>::quiet_NaN()},
               {"train.accuracy", 0.1},
               {"test.loss", std::numeric_limits<double>::denorm_min()},
               {"test.max", std::numeric_limits<double>::max()},
               {"zero", -0.0}};
  r.batch_digest = "78af5f94892f3950";
  r.wall_s = 1.25;
  r.replicas = 30;
  r.peak_rss_mb = 512.5;
  return r;
}

inline ResumedRecord resumed_record() {
  return {"0123456789abcdef", 12, {{"libtorch", "2.6.0"}, {"odd", kOdd}}};
}

/// One record of every type, at least.
inline std::vector<Record> examples() {
  return {run_record(),
          step_record(),
          gradients_record(),
          evaluation_record(),
          attention_record(),
          tensor_record(),
          resumed_record(),
          end_record(),
          EvaluationRecord{"r", 0, "test", 0.5f, {}},
          TensorRecord{"r", "initial", "scalar", {}, {-0.0f}},
          TensorRecord{"r", "initial", "empty", {2, 0}, {}},
          TensorRecord{"r", "initial", "large", {300, 300}, {}, "注.safetensors"}};
}

/// The line of a record without its newline.
inline std::string line_of(const Record& record) {
  std::string line;
  append_record(line, record);
  EXPECT_EQ(line.find('\n'), line.size() - 1) << "one line, ended by its newline";
  return line.substr(0, line.size() - 1);
}

}  // namespace qkvlab

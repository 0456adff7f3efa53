#include "record/record_lines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "record/record_examples.hpp"

namespace qkvlab {
namespace {

using nlohmann::json;

/// The sign of zero counts, and NaN is itself.
template <typename T>
void expect_same_number(T a, T b) {
  if (std::isnan(a) && std::isnan(b)) return;
  EXPECT_EQ(a, b);
  EXPECT_EQ(std::signbit(a), std::signbit(b));
}
void expect_same_number(const std::vector<float>& a, const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) expect_same_number(a[i], b[i]);
}
template <typename T>
void expect_same_number(const std::vector<std::pair<std::string, T>>& a,
                        const std::vector<std::pair<std::string, T>>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].first, b[i].first);
    expect_same_number(a[i].second, b[i].second);
  }
}

void expect_same(const RunRecord& a, const RunRecord& b) {
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.schema, b.schema);
  EXPECT_EQ(a.experiment, b.experiment);
  EXPECT_EQ(a.variant, b.variant);
  EXPECT_EQ(a.cell, b.cell);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.config, b.config);
  EXPECT_EQ(a.parameters_total, b.parameters_total);
  EXPECT_EQ(a.parameters_attention, b.parameters_attention);
  EXPECT_EQ(a.initial_digests, b.initial_digests);
  EXPECT_EQ(a.replicas, b.replicas);
  EXPECT_EQ(a.environment, b.environment);
}
void expect_same(const StepRecord& a, const StepRecord& b) {
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.step, b.step);
  expect_same_number(a.loss, b.loss);
  expect_same_number(a.lr, b.lr);
  expect_same_number(a.grad_norm, b.grad_norm);
}
void expect_same(const GradientsRecord& a, const GradientsRecord& b) {
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.step, b.step);
  expect_same_number(a.norms, b.norms);
}
void expect_same(const EvaluationRecord& a, const EvaluationRecord& b) {
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.split, b.split);
  expect_same_number(a.loss, b.loss);
  expect_same_number(a.metrics, b.metrics);
}
void expect_same(const AttentionRecord& a, const AttentionRecord& b) {
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.layer, b.layer);
  EXPECT_EQ(a.head, b.head);
  EXPECT_EQ(a.sample, b.sample);
  EXPECT_EQ(a.tokens, b.tokens);
  EXPECT_EQ(a.queries, b.queries);
  EXPECT_EQ(a.keys, b.keys);
  expect_same_number(a.weights, b.weights);
  expect_same_number(a.entropy, b.entropy);
  expect_same_number(a.diagonal, b.diagonal);
}
void expect_same(const TensorRecord& a, const TensorRecord& b) {
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.phase, b.phase);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.shape, b.shape);
  expect_same_number(a.values, b.values);
  EXPECT_EQ(a.file, b.file);
}
void expect_same(const ResumedRecord& a, const ResumedRecord& b) {
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.environment, b.environment);
}
void expect_same(const EndRecord& a, const EndRecord& b) {
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.steps, b.steps);
  expect_same_number(a.metrics, b.metrics);
  EXPECT_EQ(a.batch_digest, b.batch_digest);
  expect_same_number(a.wall_s, b.wall_s);
  EXPECT_EQ(a.replicas, b.replicas);
  expect_same_number(a.peak_rss_mb, b.peak_rss_mb);
}

TEST(RecordLines, TheExamplesCoverEveryType) {
  std::set<size_t> types;
  for (const Record& record : examples()) types.insert(record.index());
  EXPECT_EQ(types.size(), std::variant_size_v<Record>);
}

TEST(RecordLines, EveryTypeReadsBackTheSame) {
  for (const Record& record : examples()) {
    const std::string line = line_of(record);
    SCOPED_TRACE(line);
    const Record back = parse_record(line, "f", 1);
    ASSERT_EQ(back.index(), record.index());
    std::visit(
        [&](const auto& typed) {
          expect_same(typed, std::get<std::decay_t<decltype(typed)>>(back));
        },
        record);
  }
}

TEST(RecordLines, EveryLineIsStrictJsonToAnotherParser) {
  for (const Record& record : examples()) {
    const json line = json::parse(line_of(record));
    EXPECT_TRUE(line.is_object());
    std::visit([&](const auto& typed) { EXPECT_EQ(line.at("type"), typed.kType); }, record);
    EXPECT_TRUE(line.at("run").is_string());
  }
}

TEST(RecordLines, ARunHasTheDocumentedFields) {
  EXPECT_EQ(json::parse(line_of(run_record())), json::parse(R"json({
    "type": "run", "run": "0123456789abcdef", "schema": 2, "experiment": "sentiment",
    "variant": "注意力 \"quoted\" \\ \n\t\u0001\u007f 🙂",
    "cell": {"model.n_layers": 3, "model.attention": {"mode": "none"}, "task.kind": "注"},
    "seed": 9223372036854775807, "config": {"name": "注", "lr": 0.001, "list": [1, 2.5]},
    "parameters": {"total": 1234, "attention": 567},
    "initial_digests": {"q_proj.weight": "2d06800538d394c2", "blocks.0.a": "78af5f94892f3950"},
    "replicas": 30,
    "environment": {"libtorch": "1.13.1", "odd": "注意力 \"quoted\" \\ \n\t\u0001\u007f 🙂"}
  })json"));
}

TEST(RecordLines, TheOtherTypesHaveTheDocumentedFieldsInOrder) {
  EXPECT_EQ(line_of(step_record()),
            R"({"type":"step","run":"0123456789abcdef","step":7,"loss":0.1,"lr":3e-04,)"
            R"("grad_norm":7.038531e-26})");
  EXPECT_EQ(
      line_of(GradientsRecord{"r", 10, {{"q_proj.weight", 0.5f}, {"k_proj.weight", kInfinity}}}),
      R"({"type":"gradients","run":"r","step":10,)"
      R"("norms":{"q_proj.weight":0.5,"k_proj.weight":"Infinity"}})");
  EXPECT_EQ(line_of(evaluation_record()),
            R"({"type":"evaluation","run":"0123456789abcdef","step":10,"split":"train",)"
            R"("loss":"NaN","accuracy":0.875,"注":"-Infinity"})");
  AttentionRecord attention = attention_record();
  attention.tokens = {"我", "a", "b"};
  EXPECT_EQ(line_of(attention),
            R"({"type":"attention","run":"0123456789abcdef","step":100,"layer":1,"head":2,)"
            R"("sample":3,"tokens":["我","a","b"],"weights":[[0.1,0.2,0.7],[1,0,1e-45]],)"
            R"("entropy":[0.8018186,0],"diagonal":0.05})");
  EXPECT_EQ(line_of(TensorRecord{"r", "initial", "w", {2, 1, 2}, {1, -0.0f, 2.5f, kNan}}),
            R"({"type":"tensor","run":"r","phase":"initial","name":"w","shape":[2,1,2],)"
            R"("values":[[[1,-0.0]],[[2.5,"NaN"]]]})");
  EXPECT_EQ(line_of(TensorRecord{"r", "initial", "s", {}, {3.0f}}),
            R"({"type":"tensor","run":"r","phase":"initial","name":"s","shape":[],"values":3})");
  EXPECT_EQ(line_of(TensorRecord{"r", "initial", "w", {300, 300}, {}, "a.safetensors"}),
            R"({"type":"tensor","run":"r","phase":"initial","name":"w","shape":[300,300],)"
            R"("file":"a.safetensors"})");
  EndRecord end = end_record();
  end.metrics = {{"test.loss", 0.1}};
  end.reason = "step 7";
  EXPECT_EQ(line_of(end), R"({"type":"end","run":"0123456789abcdef","status":"diverged",)"
                          R"("reason":"step 7","steps":100,"metrics":{"test.loss":0.1},)"
                          R"("batch_digest":"78af5f94892f3950","wall_s":1.25,)"
                          R"("replicas":30,"peak_rss_mb":512.5})");
}

TEST(RecordLines, WhatCouldNotBeReadBackIsAMistakeOfTheProgram) {
  std::string out;
  RunRecord run = run_record();
  run.config = "{\n}";
  EXPECT_THROW(append_record(out, run), std::logic_error);
  run.config = "";
  EXPECT_THROW(append_record(out, run), std::logic_error);
  EXPECT_THROW(append_record(out, TensorRecord{"r", "p", "n", {3}, {1, 2}}), std::logic_error);
  EXPECT_THROW(append_record(out, EvaluationRecord{"r", 1, "s", 0, {{"loss", 1.0f}}}),
               std::logic_error);
  AttentionRecord attention = attention_record();
  attention.entropy.pop_back();
  EXPECT_THROW(append_record(out, attention), std::logic_error);
}

}  // namespace
}  // namespace qkvlab

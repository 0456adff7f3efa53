#include "record/record_lines.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

using nlohmann::json;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
const std::string kOdd = "注意力 \"quoted\" \\ \n\t\x01\x7F 🙂";

// Floats whose text is easily got wrong; 7.038531e-26f reads back as its neighbour by way of a
// double.
const std::vector<float> kFloats = {0.1f, -0.0f, 1e-45f, 7.038531e-26f, 1e10f, 3.4028235e38f,
                                    kNan, kInf,  -kInf,  16777216.0f,   -1.5f, 0.0f};

RunRecord run_record() {
  RunRecord r;
  r.run = "0123456789abcdef";
  r.experiment = "sentiment";
  r.variant = kOdd;
  r.seed = std::numeric_limits<int64_t>::max();
  r.config = R"({"name": "注", "lr": 1e-3, "list": [1,  2.50]})";
  r.parameters_total = 1234;
  r.parameters_attention = 567;
  r.initial_digests = {{"q_proj.weight", "2d06800538d394c2"}, {"blocks.0.a", "78af5f94892f3950"}};
  r.replicas = 30;
  r.environment = {{"libtorch", "1.13.1"}, {"odd", kOdd}};
  return r;
}

StepRecord step_record() { return {"0123456789abcdef", 7, 0.1f, 3e-4, 7.038531e-26f}; }

GradientsRecord gradients_record() {
  GradientsRecord r{"0123456789abcdef", 10, {}};
  for (size_t i = 0; i < kFloats.size(); ++i)
    r.norms.emplace_back("p" + std::to_string(i), kFloats[i]);
  return r;
}

EvaluationRecord evaluation_record() {
  return {"0123456789abcdef", 10, "train", kNan, {{"accuracy", 0.875f}, {"注", -kInf}}};
}

AttentionRecord attention_record() {
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

TensorRecord tensor_record() {
  return {"0123456789abcdef", "forward", "blocks.0.attention.scores", {2, 1, 6}, kFloats};
}

EndRecord end_record() {
  EndRecord r;
  r.run = "0123456789abcdef";
  r.status = "diverged";
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

/// One record of every type, at least.
std::vector<Record> examples() {
  return {run_record(),
          step_record(),
          gradients_record(),
          evaluation_record(),
          attention_record(),
          tensor_record(),
          end_record(),
          EvaluationRecord{"r", 0, "test", 0.5f, {}},
          TensorRecord{"r", "initial", "scalar", {}, {-0.0f}},
          TensorRecord{"r", "initial", "empty", {2, 0}, {}}};
}

std::string line_of(const Record& record) {
  std::string line;
  append_record(line, record);
  EXPECT_EQ(line.find('\n'), line.size() - 1) << "one line, ended by its newline";
  return line.substr(0, line.size() - 1);
}

/// Bits, so that minus zero and NaN count.
template <typename T>
void expect_same_bits(const T& a, const T& b) {
  if (std::isnan(a) && std::isnan(b)) return;
  EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0) << a << " and " << b;
}
void expect_same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) expect_same_bits(a[i], b[i]);
}
template <typename T>
void expect_same_bits(const std::vector<std::pair<std::string, T>>& a,
                      const std::vector<std::pair<std::string, T>>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].first, b[i].first);
    expect_same_bits(a[i].second, b[i].second);
  }
}

void expect_same(const RunRecord& a, const RunRecord& b) {
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.schema, b.schema);
  EXPECT_EQ(a.experiment, b.experiment);
  EXPECT_EQ(a.variant, b.variant);
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
  expect_same_bits(a.loss, b.loss);
  expect_same_bits(a.lr, b.lr);
  expect_same_bits(a.grad_norm, b.grad_norm);
}
void expect_same(const GradientsRecord& a, const GradientsRecord& b) {
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.step, b.step);
  expect_same_bits(a.norms, b.norms);
}
void expect_same(const EvaluationRecord& a, const EvaluationRecord& b) {
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.step, b.step);
  EXPECT_EQ(a.split, b.split);
  expect_same_bits(a.loss, b.loss);
  expect_same_bits(a.metrics, b.metrics);
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
  expect_same_bits(a.weights, b.weights);
  expect_same_bits(a.entropy, b.entropy);
  expect_same_bits(a.diagonal, b.diagonal);
}
void expect_same(const TensorRecord& a, const TensorRecord& b) {
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.phase, b.phase);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.shape, b.shape);
  expect_same_bits(a.values, b.values);
}
void expect_same(const EndRecord& a, const EndRecord& b) {
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.steps, b.steps);
  expect_same_bits(a.metrics, b.metrics);
  EXPECT_EQ(a.batch_digest, b.batch_digest);
  expect_same_bits(a.wall_s, b.wall_s);
  EXPECT_EQ(a.replicas, b.replicas);
  expect_same_bits(a.peak_rss_mb, b.peak_rss_mb);
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
    "type": "run", "run": "0123456789abcdef", "schema": 1, "experiment": "sentiment",
    "variant": "注意力 \"quoted\" \\ \n\t\u0001\u007f 🙂", "seed": 9223372036854775807,
    "config": {"name": "注", "lr": 0.001, "list": [1, 2.5]},
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
  EXPECT_EQ(line_of(GradientsRecord{"r", 10, {{"q_proj.weight", 0.5f}, {"k_proj.weight", kInf}}}),
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
  EndRecord end = end_record();
  end.metrics = {{"test.loss", 0.1}};
  EXPECT_EQ(line_of(end),
            R"({"type":"end","run":"0123456789abcdef","status":"diverged","steps":100,)"
            R"("metrics":{"test.loss":0.1},"batch_digest":"78af5f94892f3950","wall_s":1.25,)"
            R"("replicas":30,"peak_rss_mb":512.5})");
}

TEST(RecordLines, EveryFieldOfEveryTypeIsRequired) {
  for (const Record& record : examples()) {
    const json whole = json::parse(line_of(record));
    for (const auto& field : whole.items()) {
      // An evaluation's metrics are whatever is there.
      const bool evaluation = std::holds_alternative<EvaluationRecord>(record);
      if (evaluation && (field.key() == "accuracy" || field.key() == "注")) continue;
      json without = whole;
      without.erase(field.key());
      EXPECT_EQ(user_error([&] { parse_record(without.dump(), "r.jsonl", 9); }),
                "r.jsonl:9: must have the key '" + field.key() + "'");
    }
  }
}

TEST(RecordLines, EveryFieldOfEveryTypeHasItsType) {
  for (const Record& record : examples()) {
    const json whole = json::parse(line_of(record));
    for (const auto& field : whole.items()) {
      const bool evaluation = std::holds_alternative<EvaluationRecord>(record);
      if (evaluation && (field.key() == "accuracy" || field.key() == "注")) continue;
      json wrong = whole;
      wrong[field.key()] = nullptr;
      const std::string message = user_error([&] { parse_record(wrong.dump(), "r.jsonl", 9); });
      EXPECT_EQ(message.rfind("r.jsonl:9: " + field.key() + ": must ", 0), 0u) << message;
    }
  }
}

TEST(RecordLines, FieldsOfANewerWriterAreIgnored) {
  for (const Record& record : examples()) {
    json line = json::parse(line_of(record));
    line["later"] = {{"a", 1}};
    line["note"] = "text";
    const Record back = parse_record(line.dump(), "f", 1);
    if (const auto* evaluation = std::get_if<EvaluationRecord>(&back)) {
      EXPECT_EQ(evaluation->metrics.size(), std::get<EvaluationRecord>(record).metrics.size());
    }
  }
}

TEST(RecordLines, ANewerSchemaIsRefused) {
  json line = json::parse(line_of(run_record()));
  line["schema"] = kRecordSchema + 1;
  EXPECT_EQ(user_error([&] { parse_record(line.dump(), "r.jsonl", 1); }),
            "r.jsonl:1: schema: must be at most 1, got 2; was it written by a newer qkvlab?");
}

TEST(RecordLines, OtherTextIsNoNumber) {
  EXPECT_EQ(user_error([] {
              parse_record(
                  R"({"type":"step","run":"r","step":1,"loss":"nan","lr":1,"grad_norm":1})",
                  "r.jsonl", 3);
            }),
            "r.jsonl:3: loss: must be a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
}

TEST(RecordLines, NestedValuesMustHaveTheirShape) {
  const auto tensor = [](const std::string& shape, const std::string& values) {
    return user_error([&] {
      parse_record(R"({"type":"tensor","run":"r","phase":"p","name":"n","shape":)" + shape +
                       R"(,"values":)" + values + "}",
                   "f", 1);
    });
  };
  EXPECT_EQ(tensor("[2,2]", "[[1,2],[3]]"), "f:1: values[1]: must have the length 2, got 1");
  EXPECT_EQ(tensor("[2]", "[[1],[2]]"),
            "f:1: values[0]: must be a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
  EXPECT_EQ(tensor("[]", "[1]"),
            "f:1: values: must be a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
  EXPECT_EQ(tensor("[-1]", "[]"), "f:1: values: must have the length -1, got 0");
  EXPECT_EQ(tensor("[9000000000000000000]", "[1]"),
            "f:1: values: must have the length 9000000000000000000, got 1");
}

TEST(RecordLines, AttentionRowsMustAgree) {
  json line = json::parse(line_of(attention_record()));
  line["weights"] = {{0.5, 0.5}, {1}};
  EXPECT_EQ(user_error([&] { parse_record(line.dump(), "f", 1); }),
            "f:1: weights[1]: must have the length 2, got 1");
  line["weights"] = {{0.5, 0.5}};
  EXPECT_EQ(user_error([&] { parse_record(line.dump(), "f", 1); }),
            "f:1: entropy: must have the length 1, got 2");
}

TEST(RecordLines, AnUnknownTypeNamesTheKnownOnes) {
  EXPECT_EQ(
      user_error([] { parse_record(R"({"type":"stop","run":"r"})", "r.jsonl", 2); }),
      "r.jsonl:2: type: unknown record type 'stop'; allowed: run, step, gradients, evaluation, "
      "attention, tensor or end; did you mean 'step'?");
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

class RecordFile : public testing::Test {
 protected:
  ReadSummary read(const std::string& content) {
    steps_.clear();
    lines_.clear();
    return read_records(folder_.write("r.jsonl", content), [&](const Record& record, int64_t line) {
      steps_.push_back(std::get<StepRecord>(record).step);
      lines_.push_back(line);
    });
  }
  static std::string step(int64_t number) {
    return line_of(StepRecord{"r", number, 0.5f, 0.1, 1.0f}) + "\n";
  }

  const TemporaryFolder folder_;
  std::vector<int64_t> steps_, lines_;
};

TEST_F(RecordFile, EveryRecordIsVisitedInOrderWithItsLine) {
  const ReadSummary summary = read(step(5) + step(3) + step(4));
  EXPECT_EQ(steps_, (std::vector<int64_t>{5, 3, 4}));
  EXPECT_EQ(lines_, (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(summary.records, 3);
  EXPECT_FALSE(summary.cut_last_line);
  EXPECT_EQ(summary.unknown_types, 0);
}

TEST_F(RecordFile, AnEmptyFileHoldsNoRecords) {
  const ReadSummary summary = read("");
  EXPECT_EQ(summary.records, 0);
  EXPECT_FALSE(summary.cut_last_line);
}

TEST_F(RecordFile, ALineCutAnywhereIsLeftOut) {
  const std::string whole = step(1), cut = step(2);
  for (size_t length = 1; length < cut.size(); ++length) {
    const ReadSummary summary = read(whole + cut.substr(0, length));
    EXPECT_EQ(steps_, std::vector<int64_t>{1});
    EXPECT_TRUE(summary.cut_last_line);
  }
}

TEST_F(RecordFile, LinesOfUnknownTypesAreCounted) {
  const ReadSummary summary = read(step(1) + "{\"type\":\"later\",\"run\":\"r\"}\n" + step(2));
  EXPECT_EQ(lines_, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(summary.records, 2);
  EXPECT_EQ(summary.unknown_types, 1);
}

TEST_F(RecordFile, ABrokenLineInTheMiddleIsNamed) {
  const std::string path = folder_.file("r.jsonl");
  EXPECT_EQ(user_error([&] { read(step(1) + "{\"type\":\n" + step(2)); }),
            path + ":2: not JSON: unexpected end of input; expected '[', '{', or a literal");
  EXPECT_EQ(user_error([&] { read(step(1) + "\n" + step(2)); }),
            path + ":2: is empty, must hold one JSON value");
  EXPECT_EQ(user_error([&] { read("[1]\n"); }), path + ":1: must be an object, got an array");
}

TEST_F(RecordFile, WhatCannotBeReadIsNamed) {
  const auto ignore = [](const Record&, int64_t) {};
  const std::string missing = folder_.file("none.jsonl");
  EXPECT_EQ(user_error([&] { read_records(missing, ignore); }),
            missing + ": cannot be read: No such file or directory");
  EXPECT_EQ(user_error([&] { read_records(folder_.path(), ignore); }),
            folder_.path() + ": cannot be read: Is a directory");
}

}  // namespace
}  // namespace qkvlab

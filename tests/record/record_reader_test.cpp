#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "record/record_examples.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

using nlohmann::json;

TEST(RecordReader, EveryFieldOfEveryTypeIsRequired) {
  for (const Record& record : examples()) {
    const json whole = json::parse(line_of(record));
    for (const auto& field : whole.items()) {
      // An evaluation's metrics are whatever is there.
      const bool evaluation = std::holds_alternative<EvaluationRecord>(record);
      if (evaluation && (field.key() == "accuracy" || field.key() == "注")) continue;
      json without = whole;
      without.erase(field.key());
      // A tensor that is in no file is in its line.
      const std::string missing = field.key() == "file" ? "values" : field.key();
      EXPECT_EQ(user_error([&] { parse_record(without.dump(), "r.jsonl", 9); }),
                "r.jsonl:9: must have the key '" + missing + "'");
    }
  }
}

TEST(RecordReader, TheFirstVersionHadNoCells) {
  json line = json::parse(line_of(run_record()));
  line["schema"] = 1;
  line.erase("cell");
  line["variant"] = "none model.n_layers=1";
  const auto run = std::get<RunRecord>(parse_record(line.dump(), "r.jsonl", 9));
  EXPECT_TRUE(run.cell.empty());
  EXPECT_EQ(run.variant, "none model.n_layers=1") << "a name is not read for what it means";
}

TEST(RecordReader, EveryFieldOfEveryTypeHasItsType) {
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

TEST(RecordReader, FieldsOfANewerWriterAreIgnored) {
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

TEST(RecordReader, ANewerSchemaIsRefused) {
  json line = json::parse(line_of(run_record()));
  line["schema"] = kRecordSchema + 1;
  EXPECT_EQ(user_error([&] { parse_record(line.dump(), "r.jsonl", 1); }),
            "r.jsonl:1: schema: must be at most 2, got 3; was it written by a newer qkvlab?");
}

TEST(RecordReader, ASchemaThatNeverWasIsNoNewerOne) {
  for (const int64_t schema : {0, -1}) {
    json line = json::parse(line_of(run_record()));
    line["schema"] = schema;
    EXPECT_EQ(user_error([&] { parse_record(line.dump(), "r.jsonl", 1); }),
              "r.jsonl:1: schema: must be an integer of at least 1, got " + std::to_string(schema));
  }
}

TEST(RecordReader, OtherTextIsNoNumber) {
  EXPECT_EQ(user_error([] {
              parse_record(
                  R"({"type":"step","run":"r","step":1,"loss":"nan","lr":1,"grad_norm":1})",
                  "r.jsonl", 3);
            }),
            "r.jsonl:3: loss: must be a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
}

TEST(RecordReader, NestedValuesMustHaveTheirShape) {
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

TEST(RecordReader, AttentionRowsMustAgree) {
  json line = json::parse(line_of(attention_record()));
  line["weights"] = {{0.5, 0.5}, {1}};
  EXPECT_EQ(user_error([&] { parse_record(line.dump(), "f", 1); }),
            "f:1: weights[1]: must have the length 2, got 1");
  line["weights"] = {{0.5, 0.5}};
  EXPECT_EQ(user_error([&] { parse_record(line.dump(), "f", 1); }),
            "f:1: entropy: must have the length 1, got 2");
}

TEST(RecordReader, AnUnknownTypeNamesTheKnownOnes) {
  EXPECT_EQ(
      user_error([] { parse_record(R"({"type":"stop","run":"r"})", "r.jsonl", 2); }),
      "r.jsonl:2: type: unknown record type 'stop'; allowed: run, step, gradients, evaluation, "
      "attention, tensor, resumed or end; did you mean 'step'?");
}

}  // namespace
}  // namespace qkvlab

#include "record/record_stream.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "record/record_examples.hpp"
#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

class RecordStream : public testing::Test {
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

TEST_F(RecordStream, EveryRecordIsVisitedInOrderWithItsLine) {
  const ReadSummary summary = read(step(5) + step(3) + step(4));
  EXPECT_EQ(steps_, (std::vector<int64_t>{5, 3, 4}));
  EXPECT_EQ(lines_, (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(summary.records, 3);
  EXPECT_FALSE(summary.cut_last_line);
  EXPECT_EQ(summary.unknown_types, 0);
}

TEST_F(RecordStream, AnEmptyFileHoldsNoRecords) {
  const ReadSummary summary = read("");
  EXPECT_EQ(summary.records, 0);
  EXPECT_FALSE(summary.cut_last_line);
}

TEST_F(RecordStream, ALineCutAnywhereIsLeftOut) {
  const std::string whole = step(1), cut = step(2);
  for (size_t length = 1; length + 1 < cut.size(); ++length) {
    const ReadSummary summary = read(whole + cut.substr(0, length));
    EXPECT_EQ(steps_, std::vector<int64_t>{1});
    EXPECT_TRUE(summary.cut_last_line);
    EXPECT_TRUE(summary.damaged.empty());
  }
  // Without its newline alone, as editors leave it, the line is whole.
  const ReadSummary summary = read(whole + cut.substr(0, cut.size() - 1));
  EXPECT_EQ(steps_, (std::vector<int64_t>{1, 2}));
  EXPECT_FALSE(summary.cut_last_line);
}

TEST_F(RecordStream, LinesOfUnknownTypesAreCounted) {
  const ReadSummary summary = read(step(1) + "{\"type\":\"later\",\"run\":\"r\"}\n" + step(2));
  EXPECT_EQ(lines_, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(summary.records, 2);
  EXPECT_EQ(summary.unknown_types, 1);
}

TEST_F(RecordStream, ABrokenLineIsLeftOutAndNamed) {
  const std::string path = folder_.file("r.jsonl");
  const auto damage = [&](const std::string& line) {
    const ReadSummary summary = read(step(1) + line + "\n" + step(3));
    EXPECT_EQ(lines_, (std::vector<int64_t>{1, 3}));
    EXPECT_EQ(summary.records, 2);
    return summary.damaged;
  };
  using Damage = std::vector<std::string>;
  EXPECT_EQ(
      damage("{\"type\":"),
      Damage{path + ":2: not JSON: unexpected end of input; expected '[', '{', or a literal"});
  EXPECT_EQ(damage(""), Damage{path + ":2: is empty, must hold one JSON value"});
  EXPECT_EQ(damage("[1]"), Damage{path + ":2: must be an object, got an array"});
}

TEST_F(RecordStream, ATypeThatIsNotWantedIsPassedOverUnread) {
  int64_t count = 0;
  const std::string unread = "{\"type\":\"tensor\", not JSON\n";
  const ReadSummary summary = read_records(
      folder_.write("r.jsonl", step(1) + unread), [&](Record&&, int64_t) { ++count; },
      [](std::string_view type) { return type != "tensor"; });
  EXPECT_EQ(count, 1);
  EXPECT_TRUE(summary.damaged.empty());
}

TEST_F(RecordStream, WhatCannotBeReadIsNamed) {
  const auto ignore = [](Record&&, int64_t) {};
  const std::string missing = folder_.file("none.jsonl");
  EXPECT_EQ(user_error([&] { read_records(missing, ignore); }),
            missing + ": cannot be read: No such file or directory");
  EXPECT_EQ(user_error([&] { read_records(folder_.path(), ignore); }),
            folder_.path() + ": cannot be read: Is a directory");
}

}  // namespace
}  // namespace qkvlab

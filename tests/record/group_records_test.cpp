#include "record/group_records.hpp"

#include <gtest/gtest.h>

#include "record/record_examples.hpp"
#include "support/temporary_folder.hpp"

namespace qkvlab {
namespace {

const RunGroup kGroup = {"full", {{"a", 0}, {"b", 1}}};

std::string step_of(const std::string& run, int64_t step) {
  return line_of(StepRecord{run, step, 0.5F, 0.1, 1.0F}) + "\n";
}

std::string evaluation_line(const std::string& run, int64_t step, const std::string& split) {
  return line_of(EvaluationRecord{run, step, split, 0.25F, {{"accuracy", 0.5F}}}) + "\n";
}

std::string end_of(const std::string& run, const std::string& status) {
  EndRecord end;
  end.run = run;
  end.status = status;
  end.steps = 9;
  return line_of(end) + "\n";
}

class GroupRecordsTest : public testing::Test {
 protected:
  GroupRecords read(const std::string& content) const {
    return *read_group_records(folder_.write("a.jsonl", content), kGroup);
  }
  const TemporaryFolder folder_;
};

TEST_F(GroupRecordsTest, AnEndOfEveryRunIsTheProofThatAllIsDone) {
  const std::string steps = step_of("a", 1) + step_of("b", 1);
  EXPECT_FALSE(read("").has_ended());
  EXPECT_FALSE(read(steps).has_ended());
  EXPECT_FALSE(read(steps + end_of("a", "completed")).has_ended());
  EXPECT_TRUE(read(steps + end_of("a", "completed") + end_of("b", "diverged")).has_ended());
  EXPECT_TRUE(read(end_of("b", "completed") + end_of("a", "completed")).has_ended());
}

TEST_F(GroupRecordsTest, AnInterruptedGroupHasNotEndedThoughSomeOfItsRunsHave) {
  const GroupRecords records = read(end_of("a", "diverged") + end_of("b", "interrupted"));
  EXPECT_FALSE(records.has_ended());
  EXPECT_EQ(records.ended_runs, 1);
  EXPECT_TRUE(records.runs[0].end);
  EXPECT_FALSE(records.runs[1].end);
  EXPECT_EQ(records.damage, "");
}

TEST_F(GroupRecordsTest, TheLatestEvaluationOfEachSplitIsKept) {
  const GroupRecords records =
      read(evaluation_line("a", 5, "train") + evaluation_line("a", 5, "test") +
           evaluation_line("b", 5, "test") + evaluation_line("a", 9, "train") +
           evaluation_line("a", 9, "test"));
  ASSERT_EQ(records.runs[0].evaluations.size(), 2U);
  EXPECT_EQ(records.runs[0].evaluations[0].split, "train");
  EXPECT_EQ(records.runs[0].evaluations[1].split, "test");
  EXPECT_EQ(records.runs[0].evaluations[1].step, 9);
  EXPECT_EQ(records.runs[1].evaluations[0].step, 5);
}

TEST_F(GroupRecordsTest, CutAnywhereItIsNeitherDoneNorDamaged) {
  const std::string whole =
      step_of("a", 1) + end_of("a", "completed") + step_of("b", 1) + end_of("b", "completed");
  for (size_t length = 0; length + 1 < whole.size(); ++length) {
    const GroupRecords records = read(whole.substr(0, length));
    ASSERT_FALSE(records.has_ended()) << length;
    ASSERT_EQ(records.damage, "") << length;
  }
  EXPECT_TRUE(read(whole.substr(0, whole.size() - 1)).has_ended()) << "its last newline alone";
}

TEST_F(GroupRecordsTest, AnEndThatIsNotAsItWasWrittenIsDamage) {
  const std::string ends = end_of("a", "completed") + end_of("b", "completed");
  for (size_t at = 0; at < ends.size(); ++at) {
    std::string changed = ends;
    changed[at] = changed[at] == '~' ? '!' : '~';
    const GroupRecords records = read(changed + step_of("a", 1));
    ASSERT_TRUE(records.has_ended() || !records.damage.empty()) << changed;
  }
}

TEST_F(GroupRecordsTest, ThereMayBeNoFile) {
  EXPECT_FALSE(read_group_records(folder_.file("none.jsonl"), kGroup));
}

}  // namespace
}  // namespace qkvlab

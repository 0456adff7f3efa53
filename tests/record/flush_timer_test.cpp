#include "record/flush_timer.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

#include "record/record_examples.hpp"
#include "record/record_file.hpp"
#include "support/temporary_folder.hpp"

namespace qkvlab {
namespace {

using std::chrono::milliseconds;

TEST(FlushTimer, WritesWhatNobodyFlushes) {
  const TemporaryFolder folder;
  const std::string path = folder.file("r.jsonl");
  RecordFile file(path);
  const FlushTimer timer(file, milliseconds(20));
  std::string expected;
  for (int64_t step = 1; step <= 3; ++step) {
    const Record record = StepRecord{"r", step, 0.5F, 0.1, 1.0F};
    file.emit(record);
    expected += line_of(record) + "\n";
    for (int i = 0; i < 5000 && TemporaryFolder::read(path) != expected; ++i) usleep(1000);
    ASSERT_EQ(TemporaryFolder::read(path), expected);
  }
}

TEST(FlushTimer, EndsAtOnce) {
  const TemporaryFolder folder;
  RecordFile file(folder.file("r.jsonl"));
  const auto start = std::chrono::steady_clock::now();
  { const FlushTimer timer(file, milliseconds(600'000)); }
  EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(60'000));
}

TEST(FlushTimer, DisturbsNoLine) {
  const TemporaryFolder folder;
  const std::string path = folder.file("r.jsonl");
  RecordFile file(path);
  std::string expected;
  {
    const FlushTimer timer(file, milliseconds(1));
    for (int64_t step = 1; step <= 20000; ++step) {
      const Record record = StepRecord{"r", step, 0.5F, 0.1, 1.0F};
      file.emit(record);
      append_record(expected, record);
      if (step % 1000 == 0) file.flush();
    }
  }
  file.flush();
  EXPECT_TRUE(TemporaryFolder::read(path) == expected);
  EXPECT_EQ(file.digest(), xxh3_64_hex(expected));
}

}  // namespace
}  // namespace qkvlab

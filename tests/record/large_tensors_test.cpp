#include "record/large_tensors.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "base/safetensors.hpp"
#include "support/sinks.hpp"
#include "support/temporary_folder.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

/// Counts up in halves, so that an element out of place shows.
TensorRecord tensor(const std::string& name, int64_t rows, int64_t columns) {
  TensorRecord record{"0123456789abcdef", "forward", name, {rows, columns}};
  for (int64_t i = 0; i < rows * columns; ++i) {
    record.values.push_back(static_cast<float>(i) / 2);
  }
  return record;
}

TEST(LargeTensors, StandInTheFileAndAllElseInTheLines) {
  const TemporaryFolder folder;
  const std::string file = folder.file("a.safetensors");
  CollectingSink lines;
  LargeTensors sink(file, lines);
  const TensorRecord largest_of_a_line = tensor("small", 256, 256);
  const TensorRecord large = tensor("large", 1, 65'537);
  sink.emit(largest_of_a_line);
  sink.emit(large);
  sink.emit(StepRecord{"0123456789abcdef", 1, 0.5F, 0.1, 1.0F});
  EXPECT_TRUE(folder.entries().empty()) << "nothing is there before it is whole";
  sink.write();

  ASSERT_EQ(lines.records.size(), 3U);
  const auto tensors = lines.all<TensorRecord>();
  EXPECT_EQ(tensors[0].values, largest_of_a_line.values);
  EXPECT_EQ(tensors[0].file, "");
  EXPECT_EQ(tensors[1].values.size(), 0U);
  EXPECT_EQ(tensors[1].file, "a.safetensors");
  EXPECT_EQ(tensors[1].shape, large.shape);
  EXPECT_EQ(tensors[1].name, "large");
  EXPECT_EQ(tensors[1].phase, "forward");
  EXPECT_EQ(tensors[1].run, "0123456789abcdef");

  const SafetensorsFile stored = read_safetensors(file);
  ASSERT_EQ(stored.tensors.size(), 1U);
  EXPECT_EQ(stored.tensors[0].name, "forward/large");
  EXPECT_EQ(stored.tensors[0].shape, large.shape);
  ASSERT_EQ(stored.tensors[0].bytes.size(), large.values.size() * sizeof(float));
  EXPECT_EQ(
      std::memcmp(stored.tensors[0].bytes.data(), large.values.data(), large.values.size() * 4), 0);
  EXPECT_EQ(stored.metadata.at("run"), "0123456789abcdef");
}

TEST(LargeTensors, NoneMakesNoFile) {
  const TemporaryFolder folder;
  CollectingSink lines;
  LargeTensors sink(folder.file("a.safetensors"), lines);
  sink.emit(tensor("small", 2, 2));
  sink.write();
  EXPECT_TRUE(folder.entries().empty());
}

TEST(LargeTensors, TheirFileStandsBesideThatOfTheRecords) {
  EXPECT_EQ(large_tensors_file("runs/a.jsonl"), "runs/a.safetensors");
  EXPECT_EQ(large_tensors_file("runs.jsonl/a"), "runs.jsonl/a.safetensors");
  EXPECT_EQ(large_tensors_file("a.txt"), "a.txt.safetensors");
  EXPECT_EQ(large_tensors_file("a.safetensors"), "a.safetensors.safetensors");
}

TEST(LargeTensors, ANameThatRecordsCannotHoldIsRefused) {
  CollectingSink lines;
  EXPECT_NE(user_error([&] { LargeTensors("a\xFF.safetensors", lines); }).find("must be UTF-8"),
            std::string::npos);
}

}  // namespace
}  // namespace qkvlab

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace qkvlab {
namespace {

TEST(Doctor, JsonSaysWhatTheTextSays) {
  const ProgramRun done = run_qkvlab({"doctor", "--format", "json"});
  ASSERT_EQ(done.exit_code, 0) << done.error;
  const auto said = nlohmann::json::parse(done.out);
  ProgramSetting wide;  // where no line has to be broken
  wide.environment = {{"COLUMNS", "120"}};
  const std::string text = run_qkvlab({"doctor"}, wide).out;
  EXPECT_NE(text.find("LibTorch  " + said["libtorch"].get<std::string>()), std::string::npos);
  EXPECT_NE(text.find(said["blas"]["library"].get<std::string>()), std::string::npos);
  EXPECT_GT(said["sgemm"]["gflops"], 0);
  EXPECT_EQ(said["threads"]["libtorch"], 1);
  ASSERT_EQ(said["masks"].size(), 4U);
  for (const auto& mask : said["masks"]) {
    EXPECT_NE(text.find(mask["function"].get<std::string>()), std::string::npos);
    EXPECT_NE(text.find(mask["true_means"].get<std::string>()), std::string::npos);
  }
}

}  // namespace
}  // namespace qkvlab

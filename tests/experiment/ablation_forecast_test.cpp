// How long an ablation is said to take, against how long it takes.
#include <gtest/gtest.h>

#include <chrono>

#include "config/ablation_plan.hpp"
#include "experiment/ablation.hpp"
#include "support/temporary_folder.hpp"

namespace qkvlab {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

TEST(AblationForecast, IsRightWithinAFactorOfTwoForThousandsOfShortTrainings) {
  const TemporaryFolder folder;
  const std::string config = folder.write("short.json", R"({
      "task": {"kind": "majority", "length": 5, "symbols": 3, "test_examples": 8},
      "model": {"kind": "transformer", "d_model": 8, "n_layers": 1, "n_heads": 1, "max_length": 5},
      "training": {"steps": 1, "batch_size": 8},
      "run": {"workers": 1}})");
  AblationChoice choice;
  choice.variants = {"full", "none"};
  choice.seeds = "0..1499";
  const AblationPlan plan = read_ablation_plan(config, {}, choice);
  std::optional<double> expected;
  Clock::time_point begin;
  AblationListener listener;
  listener.begins = [&](const AblationForecast& forecast) {
    expected = forecast.seconds;
    begin = Clock::now();
  };
  listener.ended = [](size_t, int64_t, const RunOutcome&, bool) {};
  listener.retries = [](size_t, const RunGroup&, const std::string&) {};
  listener.progress = [](double, int64_t, std::optional<double>) {};
  listener.reason_to_stop = [] { return std::string(); };
  listener.warn = [](const std::string&) {};
  const AblationResult result = run_ablation(plan, folder.file("out"), Existing::kGoOn, listener);
  const double taken = seconds_since(begin);
  EXPECT_EQ(result.failed + result.interrupted, "");
  EXPECT_EQ(result.outcomes[1].at(1499).status, "completed");
  ASSERT_TRUE(expected.has_value());
  EXPECT_GT(*expected, taken / 2);
  EXPECT_LT(*expected, taken * 2);
}

}  // namespace
}  // namespace qkvlab

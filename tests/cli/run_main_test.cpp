#include "cli/run_main.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <functional>
#include <new>
#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "cli/talk.hpp"

namespace qkvlab {
namespace {

struct Ending {
  int exit_code;
  std::string error;
};

Ending ending_of(const std::function<void()>& body) {
  testing::internal::CaptureStderr();
  const int exit_code = run_main(body);
  return {exit_code, testing::internal::GetCapturedStderr()};
}

TEST(RunMain, ABodyThatEndsIsDoneAndSilent) {
  const Ending ending = ending_of([] {});
  EXPECT_EQ(ending.exit_code, 0);
  EXPECT_EQ(ending.error, "");
}

TEST(RunMain, AMistakeOfTheUserIsOneLineWithItsOwnExitCode) {
  const Ending usage = ending_of([] { throw UserError("a.json:1: is empty"); });
  EXPECT_EQ(usage.exit_code, 2);
  EXPECT_EQ(usage.error, "qkvlab: error: a.json:1: is empty\n");
  const Ending failed = ending_of([] { throw UserError("diverged", ExitCode::kFailed); });
  EXPECT_EQ(failed.exit_code, 1);
}

TEST(RunMain, AMistakeOfTheProgramSaysSoInOneLine) {
  const Ending ending = ending_of([] { throw std::logic_error("first\nsecond"); });
  EXPECT_EQ(ending.exit_code, 70);
  EXPECT_EQ(ending.error, "qkvlab: error: qkvlab failed, which is a fault of its own: first\n");
}

TEST(RunMain, ACheckThatFailsAndWhatIsNoExceptionAreMistakesOfTheProgramToo) {
  EXPECT_EQ(ending_of([] { require(false, "one is two"); }).exit_code, 70);
  const Ending ending = ending_of([] { throw 3; });
  EXPECT_EQ(ending.exit_code, 70);
  EXPECT_EQ(ending.error.rfind("qkvlab: error: qkvlab failed, which is a fault of its own: ", 0),
            0U);
}

TEST(RunMain, AnErrorIsOneLineThatDoesNotActOnTheTerminal) {
  const Ending ending = ending_of([] { throw UserError("a\nb\x1b[31m"); });
  EXPECT_EQ(ending.error, "qkvlab: error: a\uFFFDb\uFFFD[31m\n");
}

TEST(RunMain, AWarningSaysThatItIsOneAndNotesDoNot) {
  const Ending ending = ending_of([] {
    warn("of something");
    note("of how it stands");
  });
  EXPECT_EQ(ending.exit_code, 0);
  EXPECT_EQ(ending.error, "qkvlab: warning: of something\nof how it stands\n");
}

TEST(RunMain, MemoryThatRunsOutIsNoFaultOfTheProgram) {
  const Ending ending = ending_of([] { throw std::bad_alloc(); });
  EXPECT_EQ(ending.exit_code, 1);
  EXPECT_EQ(ending.error, "qkvlab: error: out of memory\n");
}

TEST(RunMain, MemoryThatLibTorchDoesNotGetIsNoFaultOfTheProgram) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer ends a program that asks for so much";
#endif
  // A quarter of a pebibyte is more than a process can address.
  const Ending ending = ending_of([] { at::empty({int64_t{1} << 48}, at::kByte); });
  EXPECT_EQ(ending.exit_code, 1);
  EXPECT_EQ(ending.error, "qkvlab: error: out of memory\n");
}

}  // namespace
}  // namespace qkvlab

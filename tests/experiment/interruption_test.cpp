#include "experiment/interruption.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace qkvlab {
namespace {

TEST(Interruption, RemembersTheFirstSignal) {
  const Interruption interruption;
  EXPECT_FALSE(interruption.requested());
  EXPECT_EQ(interruption.signal(), 0);
  std::raise(SIGTERM);
  std::raise(SIGINT);  // within the second in which it counts as the same
  EXPECT_TRUE(interruption.requested());
  EXPECT_EQ(interruption.signal(), SIGTERM);
}

TEST(Interruption, LeavesErrnoToWhatItInterrupts) {
  const int standard_error = dup(STDERR_FILENO);
  close(STDERR_FILENO);  // so that writing the notice fails, and sets errno
  {
    const Interruption interruption("cannot be written");
    errno = EINTR;
    std::raise(SIGINT);
    const int after = errno;
    dup2(standard_error, STDERR_FILENO);
    close(standard_error);
    EXPECT_EQ(after, EINTR);
    EXPECT_EQ(interruption.signal(), SIGINT);
  }
}

}  // namespace
}  // namespace qkvlab

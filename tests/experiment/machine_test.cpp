#include <torch/torch.h>
// After torch: glog, which it brings, and gtest define some of the same macros.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <fstream>

#include "experiment/machine.hpp"

namespace qkvlab {
namespace {

TEST(Machine, ThreadsAreSetInLibTorchAndInOpenBlas) {
  const Threads before = threads_in_use();
  use_threads(2);
  EXPECT_EQ(threads_in_use().intra_op, 2);
  EXPECT_EQ(threads_in_use().blas, before.blas > 0 ? 2 : 0);
  use_threads(1);
  EXPECT_EQ(threads_in_use().intra_op, 1);
  EXPECT_EQ(threads_in_use().blas, before.blas > 0 ? 1 : 0);
}

TEST(Machine, MeasuringDoesNotChangeTheThreads) {
  use_threads(2);
  const SgemmSpeed speed = measure_sgemm(64);
  EXPECT_EQ(threads_in_use().intra_op, 2);
  use_threads(1);
  EXPECT_GT(speed.blas_gflops, 0);
  EXPECT_GT(speed.loop_gflops, 0);
}

TEST(Machine, FreedMemoryIsKept) {
  const auto faults = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  keep_freed_memory();
  // 64 MB, or 16384 pages; twice, as glibc may find the first block too small to align a second.
  for (int i = 0; i < 2; ++i) at::zeros({1 << 24});
  const auto before = faults();
  for (int i = 0; i < 3; ++i) at::zeros({1 << 24});
  EXPECT_LT(faults() - before, 1000);
}

TEST(Machine, TheBlasLibraryIsAFileThatThisProcessHasLoaded) {
  const Blas blas = blas_in_use();
  std::ifstream maps("/proc/self/maps");
  const std::string loaded((std::istreambuf_iterator<char>(maps)), {});
  EXPECT_NE(loaded.find(blas.library), std::string::npos) << blas.library;
}

TEST(Machine, PeakMemoryIsAtLeastWhatIsResidentNow) {
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  statm >> total >> resident;
  EXPECT_GE(peak_rss_mb(), resident * 4096 / 1e6 * 0.99);
}

}  // namespace
}  // namespace qkvlab

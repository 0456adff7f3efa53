#include <torch/torch.h>
// After torch: glog, which it brings, and gtest define some of the same macros.
#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "experiment/machine.hpp"

namespace {

/// A filter for the tests of one source file, "" where it has none.
std::string tests_of_file(const std::string& file) {
  std::string filter;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const testing::TestInfo& test = *suite.GetTestInfo(t);
      const std::string path = test.file();
      const bool ends_so = path.size() >= file.size() &&
                           path.compare(path.size() - file.size(), file.size(), file) == 0;
      if (ends_so) filter += std::string(suite.name()) + "." + test.name() + ":";
    }
  }
  return filter;
}

}  // namespace

/// Runs all tests, or those of one source file: `qkvlab_torch_tests attention/attend_test.cpp`.
/// CTest runs file by file, because a process for every test would load LibTorch for every test.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  qkvlab::use_threads(1);
  if (argc > 1) {
    const std::string filter = tests_of_file(argv[1]);
    if (filter.empty()) {
      std::cerr << "no test comes from a file " << argv[1] << "\n";
      return 2;
    }
    GTEST_FLAG_SET(filter, filter);
  }
  return RUN_ALL_TESTS();
}

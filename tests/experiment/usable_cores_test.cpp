#include "experiment/usable_cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "support/temporary_folder.hpp"

namespace qkvlab {
namespace {

/// A made-up tree of control groups.
class ControlGroups {
 public:
  explicit ControlGroups(const std::string& membership) : membership_(membership) {}

  void write(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = folder_.file("groups/" + file);
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  int64_t cores() const {
    return usable_cores({folder_.file("groups"), folder_.write("membership", membership_)});
  }

 private:
  TemporaryFolder folder_;
  std::string membership_;
};

int64_t cores_of_affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
  return CPU_COUNT(&set);
}

/// So many, or as many as this test may use where these are fewer.
int64_t at_most(int64_t cores) { return std::min(cores, cores_of_affinity()); }

TEST(UsableCores, AreThoseOfTheAffinity) {
  EXPECT_EQ(ControlGroups("").cores(), cores_of_affinity());
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(ControlGroups("").cores(), 1);
  EXPECT_EQ(usable_cores(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

TEST(UsableCores, AreFewerWhereAControlGroupLimitsTime) {
  const ControlGroups groups("0::/work/job\n");
  groups.write("work/job/cpu.max", "max 100000\n");
  EXPECT_EQ(groups.cores(), cores_of_affinity());
  groups.write("work/job/cpu.max", "100000 100000\n");
  EXPECT_EQ(groups.cores(), 1);
  groups.write("work/job/cpu.max", "150000 100000\n");
  EXPECT_EQ(groups.cores(), at_most(2));
  groups.write("work/job/cpu.max", "20000 100000\n");
  EXPECT_EQ(groups.cores(), 1) << "a fifth of a core";
}

TEST(UsableCores, AreLimitedByTheGroupsAround) {
  const ControlGroups groups("0::/work/job\n");
  groups.write("work/cpu.max", "100000 100000\n");
  groups.write("work/job/cpu.max", "9900000 100000\n");
  EXPECT_EQ(groups.cores(), 1);
  // In a container its own group is the root of what it sees.
  const ControlGroups container("0::/\n");
  container.write("cpu.max", "100000 100000\n");
  EXPECT_EQ(container.cores(), 1);
}

TEST(UsableCores, AreLimitedByVersionOneToo) {
  for (const std::string mount : {"cpu,cpuacct", "cpu"}) {
    const ControlGroups groups("5:memory:/a\n4:cpu,cpuacct:/docker/12ab\n");
    groups.write(mount + "/cpu.cfs_period_us", "100000\n");
    groups.write(mount + "/cpu.cfs_quota_us", "-1\n");
    EXPECT_EQ(groups.cores(), cores_of_affinity());
    groups.write(mount + "/cpu.cfs_quota_us", "50000\n");  // as a container sees it
    EXPECT_EQ(groups.cores(), 1);
  }
}

TEST(UsableCores, WhatCannotBeReadLimitsNothing) {
  EXPECT_EQ(usable_cores({"/nowhere", "/nowhere"}), cores_of_affinity());
  const ControlGroups groups("0::/a\n");
  groups.write("a/cpu.max", "nonsense\n");
  EXPECT_EQ(groups.cores(), cores_of_affinity());
}

}  // namespace
}  // namespace qkvlab

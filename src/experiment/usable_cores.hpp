#pragma once

#include <cstdint>
#include <string>

namespace qkvlab {

/// Where Linux shows what a process belongs to.
struct SystemFolders {
  std::string cgroups = "/sys/fs/cgroup";        // the mount of all control groups
  std::string membership = "/proc/self/cgroup";  // the groups of this process
};

/// How many cores this process may keep busy: those of its CPU affinity (taskset, a batch system),
/// or fewer where a control group limits its time (a container's `--cpus`; versions 1 and 2). At
/// least 1. More processes than that would wait for each other.
int64_t usable_cores(const SystemFolders& folders = {});

}  // namespace qkvlab

#include "experiment/usable_cores.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

namespace qkvlab {

namespace {

int64_t cores_of_affinity() {
  // As large as the kernel's own set, which a fixed one need not be.
  for (size_t most = 1024; most <= size_t{1} << 20; most *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
        CPU_ALLOC(most), [](cpu_set_t* allocated) { CPU_FREE(allocated); });
    const size_t bytes = CPU_ALLOC_SIZE(most);
    if (sched_getaffinity(0, bytes, set.get()) == 0) return CPU_COUNT_S(bytes, set.get());
  }
  return std::thread::hardware_concurrency();
}

std::optional<double> number_in(const std::string& file) {
  std::ifstream in(file);
  double number = 0;
  if (in >> number) return number;
  return {};
}

/// Cores' worth of time that one group of version 2 allows ("150000 100000"; "max" is no limit).
std::optional<double> quota_of_version_2(const std::string& folder) {
  std::ifstream in(folder + "/cpu.max");
  std::string quota;
  double period = 0;
  if (!(in >> quota >> period) || quota == "max" || period <= 0) return {};
  return std::strtod(quota.c_str(), nullptr) / period;
}

std::optional<double> quota_of_version_1(const std::string& folder) {
  const auto quota = number_in(folder + "/cpu.cfs_quota_us");
  const auto period = number_in(folder + "/cpu.cfs_period_us");
  if (!quota || !period || *quota <= 0 || *period <= 0) return {};  // -1: no limit
  return *quota / *period;
}

using QuotaOf = std::optional<double> (*)(const std::string& folder);

/// The least of a group and those that it lies in: each limits all within it.
std::optional<double> least_quota(const std::string& mount, std::string group, QuotaOf quota_of) {
  std::optional<double> least;
  while (true) {
    if (const auto quota = quota_of(mount + group))
      least = std::min(least.value_or(*quota), *quota);
    const size_t slash = group.rfind('/');
    if (slash == std::string::npos) return least;
    group.erase(slash);
  }
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

/// Lines of a process's groups: "0::/group" of version 2, "4:cpu,cpuacct:/group" of version 1.
std::optional<double> cpu_quota(const SystemFolders& folders) {
  std::ifstream in(folders.membership);
  std::optional<double> least;
  const auto take = [&](const std::optional<double>& quota) {
    if (quota) least = std::min(least.value_or(*quota), *quota);
  };
  for (std::string line; std::getline(in, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) take(least_quota(folders.cgroups, group, quota_of_version_2));
    const std::vector<std::string> names = split(controllers, ',');
    if (std::find(names.begin(), names.end(), "cpu") == names.end()) continue;
    for (const std::string& mount : {controllers, std::string("cpu")}) {
      take(least_quota(folders.cgroups + "/" + mount, group, quota_of_version_1));
    }
  }
  return least;
}

}  // namespace

int64_t usable_cores(const SystemFolders& folders) {
  auto cores = static_cast<double>(std::max<int64_t>(1, cores_of_affinity()));
  // Of a part of a core some processes' waiting can make use.
  if (const auto quota = cpu_quota(folders)) cores = std::min(cores, std::ceil(*quota));
  return std::max<int64_t>(1, static_cast<int64_t>(cores));
}

}  // namespace qkvlab

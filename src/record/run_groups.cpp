#include "record/run_groups.hpp"

#include "base/error.hpp"

namespace qkvlab {

std::vector<RunGroup> divide_into_groups(const std::string& variant,
                                         const std::vector<SeedRun>& runs, int64_t replicas) {
  require(replicas > 0, "a group has at least one run");
  const auto count = static_cast<int64_t>(runs.size());
  const int64_t groups = (count + replicas - 1) / replicas;
  std::vector<RunGroup> divided;
  for (int64_t i = 0; i < groups; ++i) {
    const int64_t begin = i * count / groups, end = (i + 1) * count / groups;
    divided.push_back({variant, {runs.begin() + begin, runs.begin() + end}});
  }
  return divided;
}

}  // namespace qkvlab

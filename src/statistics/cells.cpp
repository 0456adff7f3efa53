#include "statistics/cells.hpp"

#include <map>
#include <set>
#include <tuple>

namespace qkvlab {

namespace {

/// The names of the parts that tell observations of one variant, seed and group apart.
std::set<std::string> parts_of_cells(const std::vector<Candidate>& candidates) {
  using Key = std::tuple<std::string, std::string, int64_t>;
  std::map<Key, std::map<std::string, std::string>> first_values;
  std::set<std::string> found;
  for (const Candidate& candidate : candidates) {
    const Observation& one = candidate.observation;
    auto& first = first_values[{one.group, one.variant, one.seed}];
    for (const auto& [name, value] : candidate.parts) {
      if (first.emplace(name, value).first->second != value) found.insert(name);
    }
  }
  return found;
}

/// The value of each variant of each part that has one.
std::map<std::string, std::map<std::string, std::string>> values_of_variants(
    const std::vector<Candidate>& candidates) {
  std::map<std::string, std::map<std::string, std::string>> values;
  for (const Candidate& candidate : candidates) {
    for (const auto& [name, value] : candidate.parts) {
      values[name].emplace(candidate.observation.variant, value);
    }
  }
  return values;
}

}  // namespace

void name_cells(std::vector<Candidate>& candidates, const ObservationChoice& choice,
                std::vector<std::string>& warnings) {
  const std::set<std::string> of_cells = parts_of_cells(candidates);
  for (Candidate& candidate : candidates) {
    std::string& cell = candidate.observation.cell;
    for (const auto& [name, value] : candidate.parts) {
      if (of_cells.count(name) == 0) continue;
      cell += (cell.empty() ? "" : " ") + name + "=" + value;
    }
  }
  for (const auto& [name, of_variants] : values_of_variants(candidates)) {
    if (of_cells.count(name) > 0 || name == choice.by || name == choice.variant_column) continue;
    std::string text;
    std::set<std::string> values;
    for (const auto& [variant, value] : of_variants) {
      text += (text.empty() ? "" : ", ") + variant + " has " + value;
      values.insert(value);
    }
    if (values.size() > 1) warnings.push_back(name + " goes with the variant: " + text);
  }
}

}  // namespace qkvlab

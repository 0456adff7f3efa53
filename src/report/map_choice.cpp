#include "report/map_choice.hpp"

#include <algorithm>
#include <iterator>

namespace qkvlab {

namespace {

constexpr size_t kManySeeds = 8, kFewSeeds = 3, kManySteps = 12;

/// The smallest `count` stay.
void keep_first(std::set<int64_t>& numbers, size_t count) {
  if (numbers.size() > count) {
    numbers.erase(std::next(numbers.begin(), static_cast<std::ptrdiff_t>(count)), numbers.end());
  }
}

/// Every other one goes, but neither the first nor the last.
void keep_every_other(std::set<int64_t>& numbers) {
  size_t place = 0;
  for (auto number = numbers.begin(); number != numbers.end(); ++place) {
    const bool goes = place % 2 == 1 && std::next(number) != numbers.end();
    number = goes ? numbers.erase(number) : std::next(number);
  }
}

/// Leaves something out; false where nothing is left to leave out.
bool reduce(MapChoice& choice) {
  const size_t seeds = choice.seeds.size();
  if (seeds > kManySeeds) {
    keep_first(choice.seeds, std::max(kManySeeds, seeds / 2));
  } else if (choice.steps.size() > kManySteps) {
    keep_every_other(choice.steps);
  } else if (seeds > kFewSeeds) {
    keep_first(choice.seeds, std::max(kFewSeeds, seeds / 2));
  } else if (choice.samples.size() > 1) {
    keep_first(choice.samples, 1);
  } else if (choice.steps.size() > 2) {
    choice.steps = {*choice.steps.begin(), *choice.steps.rbegin()};
  } else if (seeds > 1) {
    keep_first(choice.seeds, 1);
  } else {
    return false;
  }
  return true;
}

std::string part(size_t kept, size_t all, const std::string& noun) {
  return std::to_string(kept) + " of " + std::to_string(all) + " " + noun;
}

}  // namespace

int64_t map_bytes(int64_t weights) {
  constexpr int64_t kOfItsPlace = 48;
  return (weights + 2) / 3 * 4 + kOfItsPlace;
}

MapChoice choose_maps(const std::vector<MapPlace>& maps, int64_t bytes) {
  MapChoice all;
  for (const MapPlace& map : maps) {
    all.seeds.insert(map.seed);
    all.steps.insert(map.step);
    all.samples.insert(map.sample);
  }
  all.of = static_cast<int64_t>(maps.size());
  MapChoice choice = all;
  for (;;) {
    int64_t taken = 0;
    choice.maps = 0;
    for (const MapPlace& map : maps) {
      if (!choice.has(map)) continue;
      ++choice.maps;
      taken += map_bytes(map.weights);
    }
    if (taken <= bytes) break;
    if (!reduce(choice)) {
      choice.maps = 0;
      choice.seeds.clear();
      choice.words =
          "The attention maps are too large for a page and all left out: record fewer layers and "
          "heads, or shorter sequences, to see them here.";
      return choice;
    }
  }
  if (choice.maps < choice.of) {
    choice.words = "Of " + std::to_string(choice.of) + " recorded maps " +
                   std::to_string(choice.maps) + " are in this page, to keep it small: " +
                   part(choice.seeds.size(), all.seeds.size(), "seeds (the smallest), ") +
                   part(choice.steps.size(), all.steps.size(), "steps, ") +
                   part(choice.samples.size(), all.samples.size(), "samples.");
  }
  return choice;
}

}  // namespace qkvlab

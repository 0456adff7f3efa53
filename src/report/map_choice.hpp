#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace qkvlab {

/// Where an attention map belongs, and how many bytes its weights take.
struct MapPlace {
  int64_t seed = 0, step = 0, layer = 0, head = 0, sample = 0;
  int64_t weights = 0;
};

/// Which maps go into a page.
struct MapChoice {
  std::set<int64_t> seeds, steps, samples;
  int64_t maps = 0;   // how many these are,
  int64_t of = 0;     // of so many
  std::string words;  // what was left out, as a sentence; empty where all are in

  bool has(const MapPlace& map) const {
    return seeds.count(map.seed) > 0 && steps.count(map.step) > 0 && samples.count(map.sample) > 0;
  }
};

/// All maps, or what fits into so many bytes of a page: first fewer seeds (the smallest stay, eight
/// at least), then every other step (the first and the last stay), then yet fewer seeds, only the
/// first sample, only the first and last step, one seed. Nothing where not even these fit.
MapChoice choose_maps(const std::vector<MapPlace>& maps, int64_t bytes);

/// What a map of so many weights takes in a page: a byte each in base64, and its place.
int64_t map_bytes(int64_t weights);

}  // namespace qkvlab

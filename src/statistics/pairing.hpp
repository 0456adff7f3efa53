#pragma once

#include <string>

#include "statistics/units.hpp"

namespace qkvlab {

/// Whether runs of two variants with the same seed saw the same data, as the digests in their
/// records show.
struct Pairing {
  std::string why_not;  // a plain clause why they cannot be paired; empty where they can
  std::string warning;  // a plain sentence on pairs that share less than they could; often empty
};

/// Compares the runs of each seed and cell that both have. Batches must be equal: by their digests
/// where both runs completed with the same number of steps, else by the fields of the configs that
/// decide them. Initial values of parameters that
/// both have must be equal too, else the pairs share the batches alone. What has no records (a
/// table from elsewhere) is taken by its word.
Pairing pairing_of(const SeedCells& variant, const SeedCells& baseline);

}  // namespace qkvlab

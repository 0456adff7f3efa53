#include "config/memory.hpp"

#include <variant>

namespace qkvlab {

namespace {

int64_t numbers_kept(const SgdConfig& sgd) { return sgd.momentum > 0 ? 1 : 0; }
int64_t numbers_kept(const AdamConfig& /*adam*/) { return 2; }
int64_t numbers_kept(const AdamWConfig& /*adam*/) { return 2; }

}  // namespace

int64_t state_bytes(const ModelSize& size, const OptimizerConfig& optimizer) {
  const int64_t kept = std::visit([](const auto& typed) { return numbers_kept(typed); }, optimizer);
  return size.parameters() * (2 + kept) * static_cast<int64_t>(sizeof(float));
}

}  // namespace qkvlab

#include "experiment/tensor_memory.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace qkvlab {

namespace {

constexpr uintptr_t kAlignment = 64;  // as LibTorch's own allocator aligns

/// malloc gives blocks of the same size for the same request, wherever they lie, so a freed one
/// fits. What malloc gave stands right before the tensor.
void* allocate_aligned(size_t bytes) {
  void* const block = std::malloc(bytes + sizeof(void*) + kAlignment);
  if (block == nullptr) throw std::bad_alloc();
  const auto first = reinterpret_cast<uintptr_t>(block) + sizeof(void*);
  char* const aligned =
      static_cast<char*>(block) +
      ((first + kAlignment - 1) / kAlignment * kAlignment - reinterpret_cast<uintptr_t>(block));
  std::memcpy(aligned - sizeof(void*), &block, sizeof(void*));
  return aligned;
}

void free_aligned(void* aligned) {
  if (aligned == nullptr) return;
  void* block = nullptr;
  std::memcpy(&block, static_cast<char*>(aligned) - sizeof(void*), sizeof(void*));
  std::free(block);
}

/// LibTorch's interface has changed over its versions: `allocate` was const once, and `copy_data`
/// came later. Each overrides what the LibTorch at hand has, so none can say `override`.
class PackingAllocator final : public c10::Allocator {  // NOLINT(*-use-override)
 public:
  c10::DataPtr allocate(size_t bytes) { return allocated(bytes); }
  c10::DataPtr allocate(size_t bytes) const { return allocated(bytes); }
  void copy_data(void* to, const void* from, size_t bytes) const { std::memcpy(to, from, bytes); }
  c10::DeleterFnPtr raw_deleter() const { return &free_aligned; }

 private:
  static c10::DataPtr allocated(size_t bytes) {
    void* const data = bytes == 0 ? nullptr : allocate_aligned(bytes);
    return {data, data, &free_aligned, c10::Device(c10::kCPU)};
  }
};

}  // namespace

void pack_tensor_memory() {
  static PackingAllocator allocator;
  c10::SetCPUAllocator(&allocator, /*priority=*/1);
}

}  // namespace qkvlab

#include "experiment/tensor_memory.hpp"

#include <torch/torch.h>
// After torch: glog, which it brings, and gtest define some of the same macros.
#include <gtest/gtest.h>

#include <cstdint>

namespace qkvlab {
namespace {

TEST(TensorMemory, IsAlignedAndHoldsWhatIsWritten) {
  pack_tensor_memory();
  for (const int64_t size : {1, 15, 16, 17, 1000, 100'003}) {
    const at::Tensor tensor = at::arange(size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data_ptr()) % 64, 0u) << size;
    EXPECT_EQ(tensor.sum().item<int64_t>(), size * (size - 1) / 2);
  }
  EXPECT_EQ(at::empty({0}).numel(), 0);
}

#ifndef __SANITIZE_ADDRESS__  // which gives nothing back at once
TEST(TensorMemory, ATensorTakesThePlaceOfOneThatIsGone) {
  pack_tensor_memory();
  constexpr int64_t kSize = 20'000;
  at::Tensor before = at::empty({kSize}), gone = at::empty({kSize}), after = at::empty({kSize});
  const void* const place = gone.data_ptr();
  gone = at::Tensor();
  EXPECT_EQ(at::empty({kSize}).data_ptr(), place);
}
#endif

}  // namespace
}  // namespace qkvlab

#pragma once

namespace qkvlab {

/// From now on tensors on the CPU are allocated so that one that is freed makes room for the next
/// of its size. LibTorch asks posix_memalign, which before glibc 2.38 reuses a freed block only
/// where it is larger than what is asked for by more than the alignment: of the tensors of a
/// training step, all of a few sizes, it would leave holes that nothing fills, and take half as
/// much memory again.
void pack_tensor_memory();

}  // namespace qkvlab

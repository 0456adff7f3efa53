#pragma once

/// Before a function whose loops are worth vector instructions: compiled for AVX-512, for AVX2 and
/// for any x86-64, of which the program takes the best that the machine has as it starts. What the
/// function calls must be inlined to take part (QKVLAB_INLINE). A compiler without this gets by
/// with the instructions it is told to use.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#if __GNUC__ < 12
#error \
    "qkvlab needs GCC 12 or later: earlier ones do not know x86-64-v3 and v4 (Debian 12 has 12.2)"
#endif
#define QKVLAB_VECTORISED \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define QKVLAB_VECTORISED
#endif

#define QKVLAB_INLINE inline __attribute__((always_inline))

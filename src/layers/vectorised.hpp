#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#error \
    "qkvlab needs GCC 12 or later: earlier ones do not know x86-64-v3 and v4 (Debian 12 has 12.2)"
#endif

/// What takes part in a vectorised loop must be inlined into it.
#define QKVLAB_INLINE inline __attribute__((always_inline))

namespace qkvlab {

/// a · b + c rounded once, by the instruction that AVX2 and AVX-512 machines and ARM have;
/// `Lanes` is how many numbers one instruction takes.
template <int Lanes>
struct FusedArithmetic {
  static constexpr int kLanes = Lanes;
  static QKVLAB_INLINE float multiply_add(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
  }
};

/// a · b + c with the product rounded too, where one rounding would be a slow call.
struct PlainArithmetic {
  static constexpr int kLanes = 4;
  static QKVLAB_INLINE float multiply_add(float a, float b, float c) { return a * b + c; }
};

/// That of the instructions that the program is compiled for as a whole.
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
using BaselineArithmetic = FusedArithmetic<4>;
#else
using BaselineArithmetic = PlainArithmetic;
#endif

/// Loops that are worth vector instructions, compiled for AVX-512, for AVX2 and for any x86-64, of
/// which the best that the machine has is run. `Loop` is a struct with the member
///   template <typename Arithmetic> static QKVLAB_INLINE Result run(Arguments...)
/// that says every product with a sum by Arithmetic::multiply_add: compilers may not fuse any
/// themselves (-ffp-contract=off), as they would fuse them in one loop and not in the next, and a
/// number's bits would depend on its neighbours.
#if defined(__x86_64__)

template <typename Loop, typename... Arguments>
__attribute__((target("arch=x86-64-v4"))) auto run_with_avx512(const Arguments&... arguments) {
  return Loop::template run<FusedArithmetic<16>>(arguments...);
}

template <typename Loop, typename... Arguments>
__attribute__((target("arch=x86-64-v3"))) auto run_with_avx2(const Arguments&... arguments) {
  return Loop::template run<FusedArithmetic<8>>(arguments...);
}

enum class Instructions { kBaseline, kAvx2, kAvx512 };

/// The best of these that the machine and the system have.
inline Instructions best_instructions() {
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return avx512 ? Instructions::kAvx512 : avx2 ? Instructions::kAvx2 : Instructions::kBaseline;
}

/// Asked once, as a loop may take less time than the question.
inline const Instructions kInstructions = best_instructions();

/// Their name, for records of the machine.
inline const char* vector_instructions() {
  return kInstructions == Instructions::kAvx512 ? "x86-64-v4"
         : kInstructions == Instructions::kAvx2 ? "x86-64-v3"
                                                : "default";
}

template <typename Loop, typename... Arguments>
auto run_vectorised(const Arguments&... arguments) {
  switch (kInstructions) {
    case Instructions::kAvx512:
      return run_with_avx512<Loop>(arguments...);
    case Instructions::kAvx2:
      return run_with_avx2<Loop>(arguments...);
    default:
      return Loop::template run<BaselineArithmetic>(arguments...);
  }
}

#else

inline const char* vector_instructions() { return "default"; }

template <typename Loop, typename... Arguments>
auto run_vectorised(const Arguments&... arguments) {
  return Loop::template run<BaselineArithmetic>(arguments...);
}

#endif

}  // namespace qkvlab

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace qkvlab {

/// Sets LibTorch's intra-op threads and OpenBLAS's, which keeps a count of its own. One is the fast
/// setting for models this small: two make a step 2–4 times slower, as OpenMP's and OpenBLAS's
/// threads spin against each other. Work side by side goes into processes instead.
void use_threads(int threads);

/// Has the C library keep memory that is freed, for the next tensors, instead of handing it back to
/// the kernel, which would have to clear it page by page for every large tensor of every step:
/// without this a training step with large logits takes 1.4 times the CPU time (recall of 8,192
/// tokens, 512 × 64 at a time; 2 cores, Debian 12, 29 November 2026).
void keep_freed_memory();

/// Gives it back once, where what comes next has other sizes.
void give_back_freed_memory();

/// The threads that each now uses; `blas` is 0 where the BLAS does not say.
struct Threads {
  int intra_op = 0;
  int blas = 0;
};
Threads threads_in_use();

/// The BLAS that answers LibTorch's products.
struct Blas {
  std::string library;  // the file that holds sgemm, symbolic links resolved
  std::string name;     // what it says of itself, or the file's name
};
Blas blas_in_use();

/// How fast single-precision matrix products are, on one thread.
struct SgemmSpeed {
  double blas_gflops = 0;
  double loop_gflops = 0;  // a plain triple loop in C++, compiled into this program
  bool slow() const;       // BLAS is not even three times the loop's speed
};

/// Measures both on square matrices of `size`, the best of several tries: about 0.1 s.
SgemmSpeed measure_sgemm(int64_t size = 256);

/// "1.13.0"
std::string libtorch_version();

/// The program's, LibTorch's and the machine's versions, for `run` records.
std::vector<std::pair<std::string, std::string>> environment();

/// The largest resident size of this process so far, in MB (10⁶ bytes).
double peak_rss_mb();

}  // namespace qkvlab

#include "experiment/machine.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <malloc.h>
#include <sys/resource.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>

#include "base/version.hpp"
#include "layers/vectorised.hpp"

namespace qkvlab {

namespace {

/// A function of whichever BLAS was loaded, or nullptr where it has none of that name.
template <typename Function>
Function blas_function(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

void set_threads(const Threads& threads) {
  at::set_num_threads(threads.intra_op);
  const auto set_blas = blas_function<void (*)(int)>("openblas_set_num_threads");
  if (set_blas != nullptr && threads.blas > 0) set_blas(threads.blas);
}

/// What follows "CPU capability usage: " in LibTorch's description of itself: "AVX2".
std::string cpu_capability() {
  const std::string label = "CPU capability usage: ";
  const std::string config = at::show_config();
  const size_t at = config.find(label);
  if (at == std::string::npos) return "unknown";
  const size_t begin = at + label.size();
  return config.substr(begin, config.find('\n', begin) - begin);
}

template <typename Work>
double best_seconds(const Work& work) {
  constexpr int kTries = 5;
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTries; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best;
}

/// c += a b for square row-major matrices, in the loop order that reads memory in sequence.
void plain_product(const float* a, const float* b, float* c, int64_t size) {
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t k = 0; k < size; ++k) {
      for (int64_t j = 0; j < size; ++j) c[i * size + j] += a[i * size + k] * b[k * size + j];
    }
  }
}

}  // namespace

void use_threads(int threads) { set_threads({threads, threads}); }

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kGrowBy = 64 << 20;
  mallopt(M_MMAP_MAX, 0);  // nothing gets a mapping of its own, which ends when it is freed
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_TOP_PAD, kGrowBy);
#endif
}

void give_back_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

Threads threads_in_use() {
  const auto get = blas_function<int (*)()>("openblas_get_num_threads");
  return {at::get_num_threads(), get != nullptr ? get() : 0};
}

Blas blas_in_use() {
  Blas blas;
  Dl_info info{};
  void* sgemm = blas_function<void*>("sgemm_");
  if (sgemm == nullptr || dladdr(sgemm, &info) == 0) return {"inside LibTorch", "unknown"};
  std::error_code ignored;
  const auto resolved = std::filesystem::canonical(info.dli_fname, ignored);
  blas.library = resolved.empty() ? info.dli_fname : resolved.string();
  const auto config = blas_function<const char* (*)()>("openblas_get_config");
  blas.name =
      config != nullptr ? config() : std::filesystem::path(blas.library).filename().string();
  return blas;
}

bool SgemmSpeed::slow() const { return blas_gflops < 3 * loop_gflops; }

SgemmSpeed measure_sgemm(int64_t size) {
  const Threads before = threads_in_use();
  use_threads(1);
  const at::Tensor a = at::ones({size, size}), b = at::ones({size, size});
  at::Tensor c = at::zeros({size, size});
  const double operations =
      2.0 * static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(size);
  SgemmSpeed speed;
  speed.blas_gflops = operations / best_seconds([&] { at::mm_out(c, a, b); }) / 1e9;
  speed.loop_gflops =
      operations / best_seconds([&] {
        plain_product(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), size);
      }) /
      1e9;
  set_threads(before);
  return speed;
}

std::string libtorch_version() { return TORCH_VERSION; }

std::vector<std::pair<std::string, std::string>> environment() {
  const Threads threads = threads_in_use();
  return {{"qkvlab", kVersion},
          {"libtorch", libtorch_version()},
          {"blas", blas_in_use().name},
          {"cpu_capability", cpu_capability()},
          {"vector_kernels", vector_instructions()},
          {"threads", std::to_string(threads.intra_op)}};
}

double peak_rss_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;
}

}  // namespace qkvlab

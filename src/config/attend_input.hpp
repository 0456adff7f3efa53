#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/limits.hpp"

namespace qkvlab {

/// A matrix written by hand, row-major.
struct HandMatrix {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<double> values;
};

/// What `qkvlab attend` reads: either x with w_q, w_k, w_v, or q, k, v.
struct AttendInput {
  std::optional<HandMatrix> x;              // [T, C]
  std::optional<HandMatrix> w_q, w_k, w_v;  // PyTorch's [out, in]: [Dh, C], [Dh, C], [Dv, C]
  std::optional<HandMatrix> q, k, v;        // [Tq, Dh], [Tk, Dh], [Tk, Dv]
  bool causal = false;
  std::vector<bool> key_valid;      // one per key; empty: all are
  std::optional<double> scale;      // default 1/√Dh
  std::vector<std::string> tokens;  // one per key; empty: none given

  int64_t queries() const { return x ? x->rows : q->rows; }
  int64_t keys() const { return x ? x->rows : k->rows; }
};

/// The largest such file that is read, in bytes: reading takes up to forty times that in memory.
constexpr int64_t kMaxAttendFileBytes = int64_t{64} << 20;

/// Reads and checks such a file: every shape fits every other, and the computation fits the limits.
/// Throws UserError with file, line, key path and what is allowed.
AttendInput read_attend_input(const std::string& path, const Limits& limits = {});

}  // namespace qkvlab

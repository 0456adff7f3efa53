#pragma once

#include <cstdint>

namespace qkvlab {

/// Loops over rows of `width` adjacent float32 numbers. An id must be from 0 to the table's rows
/// - 1.

/// to[i] = table[ids[i]] for `count` rows.
void gather_rows(const float* table, const int64_t* ids, int64_t count, int64_t width, float* to);

/// table[ids[i]] += from[i] for `count` rows, in their order.
void scatter_add_rows(const float* from, const int64_t* ids, int64_t count, int64_t width,
                      float* table);

/// to[i] = Σ x² of row i of `rows`, in double precision.
void sum_squares_of_rows(const float* x, int64_t rows, int64_t width, double* to);

}  // namespace qkvlab

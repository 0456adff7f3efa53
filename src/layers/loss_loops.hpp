#pragma once

#include <cstdint>

namespace qkvlab {

/// Mean cross-entropy of `rows` rows of `classes` adjacent logits over those whose target is not
/// negative; 0 where there is none. A target is below `classes`. Writes the gradient of that mean
/// beside it, in rows as the logits'.
float cross_entropy_rows(const float* logits, const int64_t* targets, int64_t rows, int64_t classes,
                         float* gradient);

}  // namespace qkvlab

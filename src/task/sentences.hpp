#pragma once

#include "config/sentence_file.hpp"
#include "task/batch.hpp"

namespace qkvlab {

/// All sentences as one batch, the shorter ones padded on the right with token 0.
Batch whole_batch(const Sentences& sentences);

/// One sentence, without padding.
Batch single_batch(const Sentences& sentences, int64_t index);

/// The sentences with these numbers, from 0.
Batch sentence_batch(const Sentences& sentences, at::ArrayRef<int64_t> numbers);

}  // namespace qkvlab

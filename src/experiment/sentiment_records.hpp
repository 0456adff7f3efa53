#pragma once

#include "experiment/sentiment_run.hpp"
#include "record/sink.hpp"

namespace qkvlab {

/// Sends what happened in a run of the classifier as records: `run`; the tensors of the phases
/// initial, forward, gradient and step; `step`, `gradients` and `evaluation` (split "train") of
/// each epoch; the tensors of the phases trained and trained_forward; the attention after training;
/// `end`.
void emit_records(const Sentences& sentences, const SentimentRunOptions& options,
                  const SentimentRun& run, RecordSink& sink);

}  // namespace qkvlab

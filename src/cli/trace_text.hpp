#pragma once

#include <string>

#include "experiment/sentiment_run.hpp"
#include "report/text_style.hpp"

namespace qkvlab {

/// A run of the classifier for people, fit to be projected on a wall: every matrix of the traced
/// sentence with its labels, the gradients, the step, the training and what it changed. Every line
/// is computed from the run.
std::string trace_text(const Sentences& sentences, const SentimentRunOptions& options,
                       const SentimentRun& run, const TextStyle& style);

}  // namespace qkvlab

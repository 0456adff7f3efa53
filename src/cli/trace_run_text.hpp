#pragma once

#include <string>

#include "experiment/trace_run.hpp"
#include "report/text_style.hpp"

namespace qkvlab {

/// A trace for people: the sample and what the model says of it, every intermediate block by block
/// and head by head, the gradients and the step. Of a large model, whose matrices, heads and blocks
/// would fill a book, it shows the first parts and says what it leaves out.
std::string trace_run_text(const ExperimentConfig& config, const TraceRun& run,
                           const TextStyle& style);

}  // namespace qkvlab

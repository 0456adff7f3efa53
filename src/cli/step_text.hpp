#pragma once

#include <string>

#include "experiment/trace_run.hpp"
#include "report/text_style.hpp"

namespace qkvlab {

/// The backward pass and the step of a trace for people: of every parameter the norms of its value
/// and gradient and how far the step moved it, then what the step did to the loss.
std::string step_text(const ExperimentConfig& config, const TraceRun& run, const TextStyle& style);

}  // namespace qkvlab

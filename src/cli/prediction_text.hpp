#pragma once

#include <string>

#include "experiment/trace_run.hpp"
#include "report/text_style.hpp"

namespace qkvlab {

/// A token for people: what could not be seen gets a sign, "␣" a blank and "↵" a new line; long
/// ones are cut.
std::string token_label(const std::string& token);

/// The traced sample for people: its tokens, what was asked, what the model says before the step,
/// and the loss beside that of a guess.
std::string prediction_text(const TraceRun& run, const TextStyle& style);

}  // namespace qkvlab

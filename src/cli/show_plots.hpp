#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"
#include "cli/shown_runs.hpp"
#include "report/text_style.hpp"

namespace qkvlab {

/// Whether a plot of losses (or of --metric), or one of gradient norms, needs a series.
bool is_of_curves(const ShowCommand& command, const std::string& series);
bool is_of_gradients(const std::string& series);

/// The plots of losses, or of what --metric names. Throws UserError where no run has that.
std::string curves_text(const Recording& recording, const std::vector<ShownVariant>& variants,
                        const ShowCommand& command, const TextStyle& style);

/// The norms of all gradients together, and of those of W_Q, W_K and W_V; each over all layers.
std::string gradients_text(const std::vector<ShownVariant>& variants, const TextStyle& style);

}  // namespace qkvlab

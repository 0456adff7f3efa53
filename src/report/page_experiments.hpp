#pragma once

#include <string>

#include "record/recorded_runs.hpp"

namespace qkvlab {

/// Of every experiment that the runs are of: how to repeat it, in what its variants differ, its
/// config as a text and a file to save, the machines it ran on.
std::string experiments_html(const Recording& recording);

}  // namespace qkvlab

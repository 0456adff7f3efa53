#pragma once

#include <string>
#include <vector>

#include "config/task_config.hpp"

namespace qkvlab {

/// The files that a task is read from.
std::vector<std::string> input_files(const TaskConfig& task);

}  // namespace qkvlab

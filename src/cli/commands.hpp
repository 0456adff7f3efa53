#pragma once

#include "cli/command_line.hpp"

namespace qkvlab {

/// The commands that need LibTorch, each in a file of its own name. They throw UserError.
void run_trace(const TraceCommand& command);
void run_attend(const AttendCommand& command);
void run_train(const TrainCommand& command);
void run_doctor(const DoctorCommand& command);

}  // namespace qkvlab

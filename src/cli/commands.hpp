#pragma once

#include "cli/command_line.hpp"

namespace qkvlab {

/// The commands, each in a file of its own name. They throw UserError. First those that `qkvlab`
/// runs itself, without LibTorch;
void run_show(const ShowCommand& command);
void run_check(const CheckCommand& command);
void run_schema(const SchemaCommand& command);
void run_compare(const CompareCommand& command);
void run_report(const ReportCommand& command);

/// then those that need it.
void run_trace(const TraceCommand& command);
void run_attend(const AttendCommand& command);
void run_train(const TrainCommand& command);
void run_ablate(const AblateCommand& command);
void run_doctor(const DoctorCommand& command);

}  // namespace qkvlab

// `qkvlab-engine`: the commands, those that need LibTorch among them. Started by `qkvlab` with the
// same arguments.

#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/run_main.hpp"
#include "experiment/machine.hpp"
#include "experiment/tensor_memory.hpp"

int main(int argc, char** argv) {
  using namespace qkvlab;
  return run_main([&] {
    struct Runner {
      void operator()(const NoCommand&) const {}
      void operator()(const TraceCommand& command) const { run_trace(command); }
      void operator()(const AttendCommand& command) const { run_attend(command); }
      void operator()(const TrainCommand& command) const { run_train(command); }
      void operator()(const AblateCommand& command) const { run_ablate(command); }
      void operator()(const DoctorCommand& command) const { run_doctor(command); }
      void operator()(const CompareCommand& command) const { run_compare(command); }
      void operator()(const ShowCommand& command) const { run_show(command); }
      void operator()(const ReportCommand& command) const { run_report(command); }
      void operator()(const CheckCommand& command) const { run_check(command); }
      void operator()(const SchemaCommand& command) const { run_schema(command); }
    };
    keep_freed_memory();
    pack_tensor_memory();
    use_threads(1);
    std::visit(Runner{}, parse_command_line(argc, argv));
  });
}

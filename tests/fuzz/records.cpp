// A file of records; or an experiment.json, and below a divider the records of its first group.
// Each record reads back as itself, and `compare`, `show` and `report` take what is there.

#include "cli/commands.hpp"
#include "fuzz/fuzz.hpp"
#include "record/experiment_file.hpp"
#include "record/experiment_folder.hpp"
#include "record/record_lines.hpp"
#include "record/record_stream.hpp"
#include "record/recorded_runs.hpp"

namespace qkvlab::fuzz {
namespace {

std::string line_of(const Record& record) {
  std::string line;
  append_record(line, record);
  must(!line.empty() && line.back() == '\n', "a record must be a line");
  line.pop_back();
  return line;
}

void read_back(const std::string& path) {
  std::vector<std::string> lines;
  accepts([&] {
    read_records(path, [&](const Record& record, int64_t line_number) {
      must(line_number >= 1, "lines count from 1");
      lines.push_back(line_of(record));
    });
  });
  for (const std::string& line : lines) {
    must(line_of(parse_record(line, "written", 1)) == line, "a record must read back as itself");
  }
}

void compare(const std::string& path) {
  CompareCommand command;
  command.comparison.paths = {path};
  command.out = "/dev/null";
  run_compare(command);
}

void show(const std::string& path) {
  ShowCommand command;
  command.paths = {path};
  command.width = 80;
  command.out = "/dev/null";
  run_show(command);
}

void report(const std::string& path) {
  ReportCommand command;
  command.comparison.paths = {path};
  command.out = folder().file("page.html");
  run_report(command);
}

/// Gives records to the commands that read them, the slower ones the less often: which one, the
/// last byte says.
void use(const std::string& path, std::string_view input) {
  const int turn = input.empty() ? 0 : static_cast<unsigned char>(input.back()) % 32;
  accepts([&] { read_recording({path}); });
  accepts([&] {
    if (turn == 0) report(path);
    if (turn % 8 == 1) show(path);
    if (turn % 8 == 2) compare(path);
  });
}

void use_experiment(const std::string& experiment, const std::string& records) {
  const ExperimentFolder written(folder().file("experiment"));
  std::filesystem::create_directories(folder().file("experiment/records"));
  folder().write("experiment/experiment.json", experiment);
  const auto file = accepted([&] { return read_experiment_file(written.experiment_file()); });
  if (!file) return;
  const std::string copy = folder().file("copy.json"), second = folder().file("second.json");
  write_experiment_file(copy, *file);
  const ExperimentFile again = read_experiment_file(copy);
  write_experiment_file(second, again);
  must(again.config == file->config && again.identity == file->identity &&
           again.variants.size() == file->variants.size() &&
           again.groups.size() == file->groups.size() &&
           TemporaryFolder::read(copy) == TemporaryFolder::read(second),
       "an experiment must read back as itself");
  if (file->groups.empty() || file->groups.front().name().size() > 99) return;
  const std::string records_file = written.records_file(file->groups.front().name());
  std::ofstream(records_file, std::ios::binary) << records;
  use(written.path(), records);
  std::filesystem::remove(records_file);
}

}  // namespace
}  // namespace qkvlab::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace qkvlab;
  const auto parts = fuzz::parts_of(fuzz::text_of(bytes, size));
  const std::string path = fuzz::folder().write("records.jsonl", parts.back());
  fuzz::read_back(path);
  if (parts.size() == 1) {
    fuzz::use(path, parts[0]);
  } else {
    fuzz::use_experiment(parts[0], parts[1]);
  }
  return 0;
}

// A config, and below a divider an override a line: `check`, its ablation included, and what it
// resolves to reads back as itself.

#include <algorithm>

#include "cli/commands.hpp"
#include "config/experiment_reader.hpp"
#include "config/experiment_writer.hpp"
#include "fuzz/fuzz.hpp"

namespace qkvlab::fuzz {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

void check(const std::string& document, const std::vector<std::string>& overrides, Format format) {
  const std::string file = folder().write("config.json", document);
  const bool checked = accepts([&] {
    CheckCommand command;
    command.config = file;
    command.overrides = overrides;
    command.format = format;
    command.out = "/dev/null";
    run_check(command);
  });
  accepts([&] {
    const ExperimentConfig config = read_experiment_config(file, overrides);
    const std::string line = config_line(config);
    ExperimentConfig again;
    must(accepts([&] {
           again = read_experiment_config(folder().write("resolved.json", config_text(config)));
         }) ||
             !checked,
         "a resolved config must be accepted");
    must(!checked || config_line(again) == line, "and come to itself");
  });
}

}  // namespace
}  // namespace qkvlab::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace qkvlab;
  const auto parts = fuzz::parts_of(fuzz::text_of(bytes, size));
  std::vector<std::string> overrides;
  if (parts.size() > 1) overrides = fuzz::lines_of(parts[1]);
  fuzz::check(parts[0], overrides, size % 2 == 0 ? Format::kJson : Format::kText);
  return 0;
}

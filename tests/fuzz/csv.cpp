// A table of values, and below a divider the names of a metric, a field to group by and a baseline:
// what is read can be written and read again, and `compare` compares it.

#include "base/csv.hpp"

#include <algorithm>

#include "cli/commands.hpp"
#include "fuzz/fuzz.hpp"

namespace qkvlab::fuzz {
namespace {

using Table = std::vector<std::vector<std::string>>;

Table read(std::string_view text) {
  Table table;
  read_csv(text, "input", [&](const auto& fields, int64_t line) {
    must(line >= 1, "lines count from 1");
    must(table.empty() || fields.size() == table.front().size(), "a table must be rectangular");
    table.push_back(fields);
  });
  return table;
}

std::string written(const Table& table) {
  std::string text;
  for (const auto& fields : table) {
    for (size_t i = 0; i < fields.size(); ++i) text += (i > 0 ? "," : "") + csv_field(fields[i]);
    text += '\n';
  }
  return text;
}

void compare(const std::vector<std::string>& parts) {
  CompareCommand command;
  ComparisonOptions& options = command.comparison;
  options.paths = {folder().write("table.csv", parts[0])};
  if (parts.size() > 1) options.observation.metric.name = parts[1].substr(0, parts[1].find('\n'));
  if (parts.size() > 2) options.observation.by = parts[2].substr(0, parts[2].find('\n'));
  if (parts.size() > 3) options.baseline = parts[3].substr(0, parts[3].find('\n'));
  command.format = parts[0].size() % 2 == 0 ? Format::kJson : Format::kText;
  command.out = "/dev/null";
  run_compare(command);
}

}  // namespace
}  // namespace qkvlab::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace qkvlab;
  const auto parts = fuzz::parts_of(fuzz::text_of(bytes, size));
  const auto table = fuzz::accepted([&] { return fuzz::read(parts[0]); });
  // A separator or a lone empty field of the first line cannot be told from others'.
  if (table && !table->empty() && table->front().size() > 1) {
    fuzz::must(fuzz::read(fuzz::written(*table)) == *table, "a written table must read as itself");
  }
  fuzz::accepts([&] { fuzz::compare(parts); });
  return 0;
}

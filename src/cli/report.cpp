#include <chrono>
#include <ctime>
#include <utility>

#include "base/error.hpp"
#include "base/number_text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/talk.hpp"
#include "report/comparison_json.hpp"
#include "report/page.hpp"

namespace qkvlab {

namespace {

/// "2026-11-30 03:12 UTC".
std::string date_of_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::string text(32, '\0');
  text.resize(std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts));
  return text;
}

}  // namespace

void run_report(const ReportCommand& command) {
  for (const std::string& path : command.comparison.paths) {
    if (is_table_of_values(path)) {
      throw UserError("report: " + path + ": is a table of values, but a page needs records; " +
                      "`qkvlab compare` takes it");
    }
  }
  PageContent content;
  content.paths = command.comparison.paths;
  ReadingChoice choice;
  choice.wants_series = [&](const std::string& series) {
    return wants_for_page(series) || needs_series(command.comparison, series);
  };
  choice.visit_attention = [&](const RecordedRun& run, const AttentionRecord& map) {
    content.maps.add(run, map);
  };
  content.recording = read_recording(content.paths, choice);
  choose_seeds(command.comparison.seeds, content.recording);
  Output output(command.out, content.recording.files);
  ComparisonResult result = compare_recording(content.recording, command.comparison);
  content.metric = result.metric.name;
  content.comparison_json =
      comparison_json(result.comparisons, command.comparison.observation.by, result.notes);
  content.comparisons = std::move(result.comparisons);
  content.date = date_of_now();
  int64_t bytes = 0;
  write_page(content, [&](std::string_view piece) {
    output.write(piece);
    bytes += static_cast<int64_t>(piece.size());
  });
  output.finish();
  constexpr double kKilobyte = 1e3;
  note((command.out.empty() ? "standard output" : command.out) + ": " +
       fixed(static_cast<double>(bytes) / kKilobyte, 0) + " kB");
}

}  // namespace qkvlab

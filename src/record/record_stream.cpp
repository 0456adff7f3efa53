#include "record/record_stream.hpp"

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/line_reader.hpp"
#include "record/record_lines.hpp"

namespace qkvlab {

namespace {

/// The type that a line names as our own writer puts it, first; empty where it is put otherwise.
std::string_view type_in_front(std::string_view line) {
  constexpr std::string_view kFront = R"({"type":")";
  if (line.substr(0, kFront.size()) != kFront) return {};
  const size_t end = line.find('"', kFront.size());
  return end == std::string_view::npos ? "" : line.substr(kFront.size(), end - kFront.size());
}

}  // namespace

ReadSummary read_records(const std::string& path,
                         const std::function<void(Record&&, int64_t line_number)>& visit,
                         const WantsType& wants) {
  LineReader lines(path, kMaxRecordLineBytes);
  ReadSummary summary;
  for (int64_t line_number = 1;; ++line_number) {
    std::string_view line = lines.next();
    if (line.empty()) return summary;
    const bool is_ended = line.back() == '\n';
    if (is_ended) line.remove_suffix(1);
    const std::string_view type = type_in_front(line);
    const bool wanted = !wants || type.empty() || wants(type);
    if (is_ended && !wanted) continue;
    std::optional<Record> record;
    try {
      record = parse_known_record(line, path, line_number);
    } catch (const UserError& error) {
      if (is_ended) {
        summary.damaged.emplace_back(error.what());
      } else {
        summary.cut_last_line = true;  // no beginning of an object is one
      }
      continue;
    }
    if (record && !wanted) continue;
    if (record) {
      ++summary.records;
      visit(std::move(*record), line_number);
    } else {
      ++summary.unknown_types;
    }
  }
}

}  // namespace qkvlab

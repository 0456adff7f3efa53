#include "cli/shown_runs.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/spelling.hpp"
#include "base/terminal.hpp"
#include "report/text_block.hpp"
#include "statistics/run_fields.hpp"

namespace qkvlab {

namespace {

std::string shown_name(const std::string& variant) {
  constexpr size_t kColumns = 40;
  return shorten(printable(variant), kColumns);
}

using Place = std::pair<std::string, std::string>;  // origin and variant

std::vector<Place> places_of(const Recording& recording) {
  std::vector<Place> places;
  std::set<Place> known;
  for (const RecordedRun& run : recording.runs) {
    Place place = {origin_of(run), name_in_cell(run)};
    if (known.insert(place).second) places.push_back(std::move(place));
  }
  return places;
}

std::vector<std::string> names_of(const std::vector<Place>& places) {
  std::vector<std::string> names;
  for (const Place& place : places) {
    if (std::find(names.begin(), names.end(), place.second) == names.end()) {
      names.push_back(place.second);
    }
  }
  return names;
}

void check_names(const Recording& recording, const ShowCommand& command) {
  std::set<std::string> names;
  for (const RecordedRun& run : recording.runs) names.insert(run.begin.variant);
  const std::vector<std::string> in_cells = names_of(places_of(recording));
  for (const std::string& name : command.variants) {
    const bool is_in_cell = std::find(in_cells.begin(), in_cells.end(), name) != in_cells.end();
    if (names.count(name) == 0 && !is_in_cell) {
      throw UserError("--variant: " + unknown_name("variant", name, {names.begin(), names.end()}));
    }
  }
}

bool is_wanted(const RecordedRun& run, const ShowCommand& command) {
  return (command.variants.empty() || is_named(run, command.variants)) &&
         (command.seeds.empty() || command.seeds.count(run.begin.seed) > 0);
}

/// "28 completed, 1 diverged and 1 without an end (running, or killed)".
std::string statuses_text(const std::vector<const RecordedRun*>& runs) {
  std::map<std::string, int64_t> counts;
  int64_t without_end = 0;
  for (const RecordedRun* run : runs) {
    if (run->end) {
      ++counts[run->end->status];
    } else {
      ++without_end;
    }
  }
  std::vector<std::string> texts;
  for (const auto& [status, count] : counts) texts.push_back(std::to_string(count) + " " + status);
  if (without_end > 0) {
    texts.push_back(std::to_string(without_end) + " without an end (running, or killed)");
  }
  return wrapped(texts, ", ", SIZE_MAX).front();
}

std::string experiment_text(const std::string& origin, const std::vector<const RecordedRun*>& runs,
                            size_t width) {
  std::vector<std::string> variants;
  std::set<int64_t> seeds;
  for (const RecordedRun* run : runs) {
    const std::string name = shown_name(name_in_cell(*run));
    if (std::find(variants.begin(), variants.end(), name) == variants.end()) {
      variants.push_back(name);
    }
    seeds.insert(run->begin.seed);
  }
  const std::string& experiment = runs.front()->begin.experiment;
  std::string text =
      paragraph("",
                printable(origin + (experiment.empty() ? "" : " (" + experiment + ")")) + ": " +
                    std::to_string(runs.size()) + (runs.size() == 1 ? " run, " : " runs, ") +
                    statuses_text(runs) + ", " + (seeds.size() == 1 ? "seed " : "seeds ") +
                    numbers_text(seeds),
                2, width);
  for (const std::string& line : wrapped(variants, ", ", std::max<size_t>(width, 3) - 2))
    text += "  " + line + '\n';
  return text;
}

}  // namespace

const std::string& origin_of(const RecordedRun& run) {
  return run.folder.empty() ? run.file : run.folder;
}

std::vector<ShownVariant> shown_variants(const Recording& recording, const ShowCommand& command) {
  check_names(recording, command);
  std::map<Place, std::vector<const RecordedRun*>> runs;
  std::map<std::string, int64_t> origins;  // of each name
  std::set<int64_t> seeds;
  for (const RecordedRun& run : recording.runs) {
    seeds.insert(run.begin.seed);
    if (is_wanted(run, command)) runs[{origin_of(run), name_in_cell(run)}].push_back(&run);
  }
  for (const auto& entry : runs) ++origins[entry.first.second];
  std::vector<ShownVariant> variants;
  for (const Place& place : places_of(recording)) {
    const auto found = runs.find(place);
    if (found == runs.end()) continue;
    const std::string name = shown_name(place.second);
    const bool alone = origins[place.second] == 1;
    variants.push_back({alone ? name : name + " in " + printable(place.first), found->second});
  }
  if (variants.empty()) {
    fail_for_seeds(command.seeds, seeds);
  }
  return variants;
}

std::string experiments_text(const Recording& recording, size_t width) {
  std::vector<std::string> origins;
  std::map<std::string, std::vector<const RecordedRun*>> runs;
  for (const RecordedRun& run : recording.runs) {
    auto& of_origin = runs[origin_of(run)];
    if (of_origin.empty()) origins.push_back(origin_of(run));
    of_origin.push_back(&run);
  }
  std::string text;
  for (const std::string& origin : origins) text += experiment_text(origin, runs[origin], width);
  return text;
}

void fail_for_seeds(const std::set<int64_t>& wanted, const std::set<int64_t>& recorded) {
  throw UserError("--seed: no run has " +
                  (wanted.size() == 1 ? "the seed " + std::to_string(*wanted.begin())
                                      : std::string("one of these seeds")) +
                  "; recorded: " + numbers_text(recorded));
}

std::string numbers_text(const std::set<int64_t>& numbers) {
  constexpr size_t kMostPieces = 6;
  std::vector<std::string> pieces;
  for (auto at = numbers.begin(); at != numbers.end();) {
    const int64_t first = *at;
    int64_t last = first;
    for (++at; at != numbers.end() && *at - 1 == last; ++at) last = *at;
    std::string piece = std::to_string(first);
    if (last > first) piece += (last - 1 == first ? " and " : " to ") + std::to_string(last);
    pieces.push_back(std::move(piece));
  }
  if (pieces.size() > kMostPieces) {
    return pieces[0] + ", " + pieces[1] + ", …, " + pieces.back() + " (" +
           std::to_string(numbers.size()) + " of them)";
  }
  std::string text;
  for (const std::string& piece : pieces) text += (text.empty() ? "" : ", ") + piece;
  return text;
}

}  // namespace qkvlab

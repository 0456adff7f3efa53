#include "cli/comparing.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/spelling.hpp"
#include "cli/shown_runs.hpp"
#include "statistics/run_fields.hpp"

namespace qkvlab {

namespace {

std::vector<std::string> names_of(const std::vector<Observation>& observations) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const Observation& observation : observations) {
    if (known.insert(observation.variant).second) names.push_back(observation.variant);
  }
  return names;
}

/// The baseline that is asked for, else the experiment's own, else `full`, else the first.
std::string baseline_of(const ComparisonOptions& options, const std::string& of_experiment,
                        const std::vector<std::string>& names) {
  if (!options.baseline.empty()) return options.baseline;
  for (const std::string& name : {of_experiment, std::string("full")}) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return name;
  }
  return names.front();
}

/// Takes out what has seeds that are not asked for; `all` of it has some. Throws UserError where
/// nothing is left.
template <typename T, typename SeedOf>
void choose_by_seed(const std::set<int64_t>& seeds, const SeedOf& seed_of, std::vector<T>& all) {
  if (seeds.empty() || all.empty()) return;
  std::set<int64_t> there;
  for (const T& one : all) there.insert(seed_of(one));
  all.erase(std::remove_if(all.begin(), all.end(),
                           [&](const T& one) { return seeds.count(seed_of(one)) == 0; }),
            all.end());
  if (all.empty()) fail_for_seeds(seeds, there);
}

/// Takes out the variants that are not asked for.
void choose_variants(const ComparisonOptions& options, const std::string& baseline,
                     const std::vector<std::string>& names,
                     std::vector<Observation>& observations) {
  if (options.variants.empty()) return;
  const bool by_variant = options.observation.variant_column == "variant";
  // What people read where a run is of a cell of a grid.
  const auto label_of = [&](const Observation& one) {
    return one.run != nullptr && by_variant ? name_in_cell(*one.run) : one.variant;
  };
  std::set<std::string> known(names.begin(), names.end());
  for (const Observation& one : observations) known.insert(label_of(one));
  std::set<std::string> wanted = {baseline};
  for (const std::string& name : options.variants) {
    if (known.count(name) == 0) {
      throw UserError("--variant: " + unknown_name("variant", name, names));
    }
    wanted.insert(name);
  }
  observations.erase(std::remove_if(observations.begin(), observations.end(),
                                    [&](const Observation& one) {
                                      return wanted.count(one.variant) == 0 &&
                                             wanted.count(label_of(one)) == 0;
                                    }),
                     observations.end());
}

ComparisonResult compare_observations(Observations&& observed, const ComparisonOptions& options,
                                      const std::string& baseline_of_experiment,
                                      const std::vector<std::string>& left_out) {
  if (observed.all.empty()) {
    throw UserError(options.paths.front() + ": holds no runs to compare" +
                    (left_out.empty() ? "" : "; " + left_out.front()));
  }
  choose_by_seed(
      options.seeds, [](const Observation& one) { return one.seed; }, observed.all);
  const std::vector<std::string> names = names_of(observed.all);
  const std::string baseline = baseline_of(options, baseline_of_experiment, names);
  if (std::find(names.begin(), names.end(), baseline) == names.end()) {
    throw UserError("--baseline: " + unknown_name("variant", baseline, names));
  }
  choose_variants(options, baseline, names, observed.all);
  ComparisonChoice choice;
  choice.metric = metric_title(observed.metric);
  choice.by = options.observation.by;
  choice.baseline = baseline;
  choice.higher_is_better = higher_taken_is_better(observed.metric);
  choice.unit = options.unit;
  choice.seed = static_cast<uint64_t>(options.bootstrap_seed);
  ComparisonResult result;
  result.metric = observed.metric;
  result.comparisons = compare(observed.all, choice);
  for (const auto& clauses : {observed.warnings, left_out}) {
    for (const std::string& clause : clauses) result.notes.push_back(clause + ".");
  }
  return result;
}

/// The first byte of what this process was given open, such as /dev/stdin, left there to be read;
/// nothing of a path of its own, and where there is none.
std::optional<char> first_byte_of_stream(const std::string& path) {
  if (path != "/dev/stdin" && path.rfind("/dev/fd/", 0) != 0) return std::nullopt;
  // Opened anew a file is read from its start, whoever reads it next.
  const Descriptor stream(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (stream.get() < 0 || fstat(stream.get(), &status) != 0) return std::nullopt;
  char first = 0;
  if (S_ISREG(status.st_mode)) {
    return read(stream.get(), &first, 1) == 1 ? std::make_optional(first) : std::nullopt;
  }
  std::array<int, 2> ends{};
  if (!S_ISFIFO(status.st_mode) || pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  const Descriptor out(ends[0]), in(ends[1]);
  const bool copied = tee(stream.get(), in.get(), 1, 0) == 1 && read(out.get(), &first, 1) == 1;
  return copied ? std::make_optional(first) : std::nullopt;
}

}  // namespace

bool is_table_of_values(const std::string& path) {
  std::string end = std::filesystem::path(path).extension().string();
  for (char& letter : end) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  if (end == ".csv" || end == ".tsv") return true;
  const std::optional<char> first = first_byte_of_stream(path);
  return first && *first != '{';
}

void choose_seeds(const std::set<int64_t>& seeds, Recording& recording) {
  choose_by_seed(
      seeds, [](const RecordedRun& run) { return run.begin.seed; }, recording.runs);
}

bool needs_series(const ComparisonOptions& options, const std::string& series) {
  const std::string& metric = options.observation.metric.name;
  // A single head's is asked for by its maps' name first.
  if (metric.rfind(series + ".", 0) == 0) return true;
  if (!metric.empty()) {
    return names_series(metric, series) ||
           names_series(metric, series.substr(series.find('.') + 1));
  }
  // What the default is chosen from.
  return series == "test.loss" || series == "validation.loss" || series == "train.loss" ||
         series == "step.loss";
}

ComparisonResult compare_recording(const Recording& recording, const ComparisonOptions& options) {
  ComparisonResult result = compare_observations(observe_runs(recording, options.observation),
                                                 options, recording.baseline, recording.left_out);
  result.inputs = recording.files;
  return result;
}

ComparisonResult compare_paths(const ComparisonOptions& options) {
  if (is_table_of_values(options.paths.front())) {
    ComparisonResult result = compare_observations(
        observe_csv(options.paths.front(), options.observation), options, "", {});
    result.inputs = {options.paths.front()};
    return result;
  }
  ReadingChoice choice;
  choice.wants_series = [&](const std::string& series) { return needs_series(options, series); };
  return compare_recording(read_recording(options.paths, choice), options);
}

}  // namespace qkvlab

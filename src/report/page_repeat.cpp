#include "report/page_repeat.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "record/experiment_folder.hpp"
#include "report/config_text.hpp"
#include "report/page_text.hpp"
#include "statistics/run_fields.hpp"

namespace qkvlab {

namespace {

using Units = std::set<std::pair<std::string, int64_t>>;  // variant, seed

/// Whether `ablate` made a folder's groups: `train` makes such of one run, of one variant.
bool is_ablation(const ExperimentRuns& experiment) {
  const std::vector<RunGroup>& groups = experiment.file.groups;
  return std::any_of(groups.begin(), groups.end(), [&](const RunGroup& group) {
    return group.runs.size() > 1 || group.variant != groups.front().variant ||
           group.cell != groups.front().cell;
  });
}

/// Whether `train` and `ablate` read such a config; `trace` records others.
bool is_of_training(const JsonValue& config) {
  return config.find("record") != nullptr && config.find("trace") == nullptr;
}

/// What a folder's groups say of the command that made them.
struct Ablation {
  std::vector<std::string> names;  // of variants
  std::vector<int64_t> seeds;
  bool in_one_go = true;  // one command deals all runs into the same groups
};

Ablation ablation_of(const ExperimentRuns& experiment) {
  Ablation ablation;
  std::map<std::pair<std::string, Cell>, std::vector<RunGroup>> groups;
  std::set<std::string> known;
  for (const RunGroup& group : experiment.file.groups) {
    if (known.insert(group.variant).second) ablation.names.push_back(group.variant);
    groups[{group.variant, group.cell}].push_back(group);
    for (const SeedRun& run : group.runs) ablation.seeds.push_back(run.seed);
  }
  std::sort(ablation.seeds.begin(), ablation.seeds.end());
  ablation.seeds.erase(std::unique(ablation.seeds.begin(), ablation.seeds.end()),
                       ablation.seeds.end());
  for (const auto& [variant, mine] : groups) {
    std::vector<SeedRun> runs;
    size_t largest = 1;
    for (const RunGroup& group : mine) {
      runs.insert(runs.end(), group.runs.begin(), group.runs.end());
      largest = std::max(largest, group.runs.size());
    }
    std::vector<int64_t> seeds;
    for (const SeedRun& run : runs) seeds.push_back(run.seed);
    const std::vector<RunGroup> dealt =
        divide_into_groups(variant.first, runs, static_cast<int64_t>(largest));
    const bool same = std::equal(
        dealt.begin(), dealt.end(), mine.begin(), mine.end(),
        [](const RunGroup& a, const RunGroup& b) { return a.runs.size() == b.runs.size(); });
    ablation.in_one_go &= same && seeds == ablation.seeds;
  }
  return ablation;
}

std::string train_command(const ExperimentRuns& experiment, const std::string& file,
                          const std::string& folder) {
  if (experiment.runs.size() == 1) {
    return "qkvlab train " + file + " random.seed=" + std::to_string(experiment.seeds.front()) +
           " --out " + folder;
  }
  std::string words;
  for (const int64_t seed : experiment.seeds) words += " " + std::to_string(seed);
  return "for seed in" + words + "; do\n  qkvlab train " + file + " random.seed=$seed --out " +
         folder + "\ndone";
}

}  // namespace

std::vector<ExperimentRuns> experiments_of(const Recording& recording) {
  std::vector<ExperimentRuns> experiments;
  std::map<std::string, size_t> places;  // of folders and files
  std::vector<Units> held;
  std::map<std::string, Units> of_place;
  const auto place_of_run = [](const RecordedRun& run) {
    return run.folder.empty() ? run.file : run.folder;
  };
  for (const RecordedRun& run : recording.runs) {
    of_place[place_of_run(run)].emplace(name_in_cell(run), run.begin.seed);
  }
  // Files read alone join the first experiment of their name that has none of their runs.
  const auto place_for = [&](const RecordedRun& run, const Units& units) {
    for (size_t i = 0; run.folder.empty() && i < experiments.size(); ++i) {
      const bool alone = experiments[i].runs.front()->folder.empty();
      const bool apart = std::none_of(units.begin(), units.end(),
                                      [&](const auto& unit) { return held[i].count(unit) > 0; });
      if (alone && apart && experiments[i].name == run.begin.experiment) return i;
    }
    return experiments.size();
  };
  for (const RecordedRun& run : recording.runs) {
    const std::string place = place_of_run(run);
    if (places.count(place) == 0) {
      const size_t index = place_for(run, of_place[place]);
      places[place] = index;
      if (index == experiments.size()) {
        experiments.push_back({place, run.begin.experiment, {}, {}, {}, {}});
        held.emplace_back();
        if (!run.folder.empty()) {
          experiments.back().file =
              read_experiment_file(ExperimentFolder(run.folder).experiment_file());
        }
      }
      held[index].insert(of_place[place].begin(), of_place[place].end());
    }
    ExperimentRuns& experiment = experiments[places[place]];
    experiment.runs.push_back(&run);
    experiment.seeds.push_back(run.begin.seed);
    const bool known =
        std::any_of(experiment.variants.begin(), experiment.variants.end(),
                    [&](const auto& variant) { return variant.first == name_in_cell(run); });
    if (!known) experiment.variants.emplace_back(name_in_cell(run), run.begin.config);
  }
  return experiments;
}

JsonValue config_of(const ExperimentRuns& experiment) {
  if (is_ablation(experiment)) {
    return parse_json(experiment.file.config, experiment.place + "/experiment.json", kNoLines);
  }
  const RecordedRun& first = *experiment.runs.front();
  return parse_json(first.begin.config, place_of(first), kNoLines);
}

std::string repeat_html(const ExperimentRuns& experiment, const JsonValue& config,
                        const std::string& link, const std::string& file,
                        const std::string& folder) {
  if (!is_of_training(config)) {
    return "<p>These records are of <code>qkvlab trace</code> or another program; " + link +
           " says what was run.</p>\n";
  }
  const bool alone = experiment.file.groups.empty();
  if (alone && experiment.variants.size() > 1) {
    return "<p>Records alone do not say which ablation these variants come from, so no one command "
           "repeats it; a page of the experiment's folder has it. " +
           link + " of the first run says what that was.</p>\n";
  }
  std::string command, promise;
  const std::string bits =
      "repeats these runs: to the last bit on the machine below with the same libraries, elsewhere "
      "but for rounding.";
  if (is_ablation(experiment)) {
    const Ablation ablation = ablation_of(experiment);
    command = "qkvlab ablate " + file;
    for (const std::string& name : ablation.names) command += " --variant " + shell_word(name);
    command += " --seeds " + ranges_of(ablation.seeds) + " --out " + folder;
    promise = ablation.in_one_go
                  ? bits
                  : "repeats these runs but for rounding: they were entered bit by bit, so that "
                    "their groups were others, and some variants may have fewer seeds.";
  } else {
    command = train_command(experiment, file, folder);
    promise = alone ? "repeats these runs but for rounding: records alone do not say which runs "
                      "were trained together."
                    : bits;
  }
  return "<p>Save " + link + " as <code>" + file +
         "</code>; texts and sentences that it names must be where it says. Then</p>\n"
         "<pre class=\"command\"><code>" +
         html_lines(command) + "</code></pre>\n<p>" + promise + "</p>\n";
}

}  // namespace qkvlab

#include "report/page_experiments.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>
#include <vector>

#include "record/experiment_file.hpp"
#include "record/experiment_folder.hpp"
#include "report/config_text.hpp"
#include "report/page_text.hpp"
#include "report/page_variants.hpp"

namespace qkvlab {

namespace {

/// Runs that a page tells of together: of one folder, or of one file read alone.
struct ExperimentRuns {
  std::string place;
  std::string name;
  std::vector<const RecordedRun*> runs;
  std::vector<std::pair<std::string, std::string>> variants;  // name, config of its first run
  std::vector<int64_t> seeds;
};

std::vector<ExperimentRuns> experiments_of(const Recording& recording) {
  std::vector<ExperimentRuns> experiments;
  std::map<std::string, size_t> places;
  for (const RecordedRun& run : recording.runs) {
    const std::string& place = run.folder.empty() ? run.file : run.folder;
    const auto [found, is_new] = places.emplace(place, experiments.size());
    if (is_new) experiments.push_back({place, run.begin.experiment, {}, {}, {}});
    ExperimentRuns& experiment = experiments[found->second];
    experiment.runs.push_back(&run);
    experiment.seeds.push_back(run.begin.seed);
    const bool known =
        std::any_of(experiment.variants.begin(), experiment.variants.end(),
                    [&](const auto& variant) { return variant.first == run.begin.variant; });
    if (!known) experiment.variants.emplace_back(run.begin.variant, run.begin.config);
  }
  return experiments;
}

/// The config that all variants come from: that of the folder, or, where there is one variant only,
/// that of its runs.
JsonValue config_of(const ExperimentRuns& experiment) {
  const RecordedRun& first = *experiment.runs.front();
  if (experiment.variants.size() == 1 || first.folder.empty()) {
    return parse_json(first.begin.config, place_of(first), kNoLines);
  }
  const std::string file = ExperimentFolder(first.folder).experiment_file();
  return parse_json(read_experiment_file(file).config, file, kNoLines);
}

/// Letters, digits and a few signs; all else is replaced.
std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    const bool stays = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    plain += stays ? c : '_';
  }
  return plain.empty() ? "config" : plain;
}

/// The names that --variants takes: without what a cell of the grid adds.
std::vector<std::string> names_without_cells(const ExperimentRuns& experiment,
                                             const JsonValue& config) {
  const JsonValue* ablation = config.find("ablation");
  const JsonValue* grid =
      ablation == nullptr || ablation->is_null() ? nullptr : ablation->find("grid");
  const bool has_grid = grid != nullptr && !grid->members().empty();
  std::vector<std::string> names;
  for (const auto& variant : experiment.variants) {
    std::string name = variant.first;
    if (has_grid)
      name.resize(std::min(name.size(), name.find(" " + grid->members()[0].first + "=")));
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

/// Whether `train` and `ablate` read such a config; `trace` records others.
bool is_of_training(const JsonValue& config) {
  return config.find("record") != nullptr && config.find("trace") == nullptr;
}

/// `file`: where the config is, `folder`: where the runs go.
std::string command_of(const ExperimentRuns& experiment, const JsonValue& config,
                       const std::string& file, const std::string& folder) {
  const std::string seeds = ranges_of(experiment.seeds);
  if (experiment.variants.size() > 1) {
    std::string names;
    for (const std::string& name : names_without_cells(experiment, config)) {
      names += (names.empty() ? "" : ",") + name;
    }
    return "qkvlab ablate " + file + " --variants " + shell_word(names) + " --seeds " + seeds +
           " --out " + folder;
  }
  if (experiment.runs.size() == 1) {
    return "qkvlab train " + file + " random.seed=" + seeds + " --out " + folder;
  }
  std::string words;
  for (const RecordedRun* run : experiment.runs) words += " " + std::to_string(run->begin.seed);
  return "for seed in" + words + "; do\n  qkvlab train " + file + " random.seed=$seed --out " +
         folder + "\ndone";
}

std::string differences_table(const ExperimentRuns& experiment) {
  std::vector<std::string> configs;
  for (const auto& variant : experiment.variants) configs.push_back(variant.second);
  std::vector<ConfigDifference> differences = config_differences(configs);
  // Which seed the first run of a variant has says nothing of the variant.
  differences.erase(
      std::remove_if(differences.begin(), differences.end(),
                     [](const auto& difference) { return difference.path == "random.seed"; }),
      differences.end());
  if (differences.empty()) return "";
  constexpr size_t kFew = 2;
  std::string html =
      scroll_begin("Table: what differs", /*wide=*/differences.size() > kFew) +
      "<table class=\"text\"><caption>In what the variants differ</caption><thead><tr>"
      "<th scope=\"col\">variant</th>";
  for (const ConfigDifference& difference : differences) {
    html += "<th scope=\"col\"><code>" + html_text(difference.path) + "</code></th>";
  }
  html += "</tr></thead><tbody>";
  for (size_t i = 0; i < experiment.variants.size(); ++i) {
    html += "<tr><th scope=\"row\">" + html_name(experiment.variants[i].first) + "</th>";
    for (const ConfigDifference& difference : differences) {
      const std::string& value = difference.values[i];
      html += value.empty() ? "<td>–</td>" : "<td><code>" + html_text(value) + "</code></td>";
    }
    html += "</tr>";
  }
  return html + "</tbody></table></div>\n";
}

/// Each thing that was recorded of the machine, with all values that runs have.
std::string environment_list(const ExperimentRuns& experiment) {
  std::vector<std::pair<std::string, std::vector<std::string>>> things;
  for (const RecordedRun* run : experiment.runs) {
    for (const auto& [name, value] : run->begin.environment) {
      auto thing = std::find_if(things.begin(), things.end(), [&, &wanted = name](const auto& one) {
        return one.first == wanted;
      });
      if (thing == things.end()) thing = things.insert(things.end(), {name, {}});
      std::vector<std::string>& values = thing->second;
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
  }
  std::string html = "<dl>";
  for (const auto& [name, values] : things) {
    html += "<dt>" + html_text(name) + "</dt><dd>" + html_text(list_of_some(values)) + "</dd>";
  }
  return html + "</dl>\n";
}

/// `number` tells its files from those of the page's other experiments; 0 where it is the only one.
std::string experiment_html(const ExperimentRuns& experiment, size_t number) {
  const JsonValue config = config_of(experiment);
  const std::string text = indented_json(config) + "\n";
  const std::string suffix = number == 0 ? "" : "-" + std::to_string(number);
  const std::string file = plain_name(experiment.name) + suffix + ".json";
  const std::string place = number == 0 ? "" : " <code>" + html_text(experiment.place) + "</code>";
  const std::string link = "<a download=\"" + file + "\" href=\"data:application/json;base64," +
                           base64(text) + "\">the config</a>";
  std::string html = "<h3>" + html_name(experiment.name) + place + "</h3>\n";
  if (is_of_training(config)) {
    html += "<p>Save " + link + " as <code>" + file +
            "</code>; texts and sentences that it names must be where it says. Then</p>\n"
            "<pre class=\"command\"><code>" +
            html_lines(command_of(experiment, config, file, "repeated" + suffix)) +
            "</code></pre>\n<p>repeats these runs: to the last bit on the machine below with the "
            "same libraries, elsewhere but for rounding.</p>\n";
  } else {
    html += "<p>These records are of <code>qkvlab trace</code> or another program; " + link +
            " says what was run.</p>\n";
  }
  return html + differences_table(experiment) +
         "<details><summary>The config in full</summary><pre><code>" + html_lines(text) +
         "</code></pre></details>\n<h4>Ran with</h4>" + environment_list(experiment);
}

}  // namespace

std::string experiments_html(const Recording& recording) {
  const std::vector<ExperimentRuns> experiments = experiments_of(recording);
  std::string html;
  for (size_t i = 0; i < experiments.size(); ++i) {
    html += experiment_html(experiments[i], experiments.size() == 1 ? 0 : i + 1);
  }
  return html;
}

}  // namespace qkvlab

#include "report/page_experiments.hpp"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "report/config_text.hpp"
#include "report/page_repeat.hpp"
#include "report/page_text.hpp"
#include "report/page_variants.hpp"

namespace qkvlab {

namespace {

/// Letters, digits and a few signs; all else is replaced.
std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char c : name) {
    const bool stays = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    plain += stays ? c : '_';
  }
  // One that begins like an option would be taken for one.
  return plain.empty() || plain.front() == '-' ? "config" + plain : plain;
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
  return "<h3>" + html_name(experiment.name) + place + "</h3>\n" +
         repeat_html(experiment, config, link, file, "repeated" + suffix) +
         differences_table(experiment) +
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

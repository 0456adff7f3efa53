#include "report/page_metrics.hpp"

#include <algorithm>
#include <utility>

#include "base/number_text.hpp"
#include "statistics/metric.hpp"

namespace qkvlab {

namespace {

bool begins_with(const std::string& text, const std::string& beginning) {
  return text.rfind(beginning, 0) == 0;
}

bool is_of_evaluation(const std::string& metric) {
  return !begins_with(metric, "step.") && !begins_with(metric, "gradients.") &&
         !begins_with(metric, "attention.");
}

const std::string kEntropy = "attention.entropy.";  // then "<layer>.<head>"

}  // namespace

std::string metric_words(const std::string& metric) {
  if (metric == "step.loss") return "Loss in training";
  if (metric == "step.grad_norm") return "Gradient norm";
  if (metric == "step.lr") return "Learning rate";
  const size_t dot = metric.find('.');
  if (dot == std::string::npos) return metric;
  const std::string head = metric.substr(0, dot), tail = metric.substr(dot + 1);
  if (head == "gradients") return "Gradient norm of " + tail;
  if (begins_with(metric, kEntropy)) {
    const std::string place = metric.substr(kEntropy.size());
    const size_t middle = place.find('.');
    return "Entropy of layer " + place.substr(0, middle) + ", head " + place.substr(middle + 1);
  }
  if (head == "attention") return "Attention: " + tail;
  std::string words = tail + ", " + head;
  words.front() = static_cast<char>(
      words.front() >= 'a' && words.front() <= 'z' ? words.front() - 'a' + 'A' : words.front());
  return words;
}

std::vector<std::string> drawn_metrics(const std::set<std::string>& metrics,
                                       const std::string& compared) {
  std::vector<std::string> drawn;
  const auto add = [&](const std::string& metric) {
    const bool is_new = std::find(drawn.begin(), drawn.end(), metric) == drawn.end();
    if (metrics.count(metric) > 0 && is_new) drawn.push_back(metric);
  };
  for (const std::string& metric : metrics) {
    if (names_series(compared, metric)) add(metric);
  }
  add("step.loss");
  for (const std::string& metric : metrics) {
    if (is_of_evaluation(metric)) add(metric);
  }
  add("step.grad_norm");
  return drawn;
}

std::vector<std::string> entropy_metrics(const Recording& recording) {
  std::set<std::string> names;
  for (const RecordedRun& run : recording.runs) {
    for (auto series = run.series.lower_bound(kEntropy);
         series != run.series.end() && begins_with(series->first, kEntropy); ++series) {
      names.insert(series->first);
    }
  }
  std::vector<std::string> metrics(names.begin(), names.end());
  const auto place = [](const std::string& metric) {
    const size_t dot = metric.find('.', kEntropy.size());
    const std::string layer = metric.substr(kEntropy.size(), dot - kEntropy.size());
    return std::make_pair(parse_integer(layer), parse_integer(metric.substr(dot + 1)));
  };
  // As numbers: head 10 comes after head 9.
  std::sort(metrics.begin(), metrics.end(),
            [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return metrics;
}

std::vector<CurveFigure> curve_figures(const Recording& recording, const PageVariants& variants,
                                       const std::vector<std::string>& metrics) {
  std::vector<CurveFigure> figures;
  for (const std::string& metric : metrics) {
    std::map<std::string, std::vector<const Series*>> runs;
    for (const RecordedRun& run : recording.runs) {
      const auto series = run.series.find(metric);
      if (series != run.series.end() && !series->second.steps.empty()) {
        runs[variants.name_of(run)].push_back(&series->second);
      }
    }
    CurveFigure figure{metric, metric_words(metric), {}};
    for (size_t i = 0; i < variants.names().size(); ++i) {
      const auto found = runs.find(variants.names()[i]);
      if (found != runs.end()) {
        figure.lines.push_back({variants.names()[i], i, curve_of(found->second)});
      }
    }
    if (!figure.lines.empty()) figures.push_back(std::move(figure));
  }
  return figures;
}

}  // namespace qkvlab

#include "statistics/metric.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include "base/error.hpp"
#include "base/number_text.hpp"

namespace qkvlab {

namespace {

constexpr std::string_view kGradients = "gradients.";

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/// "0" and "1" of "attention.entropy.0.1".
std::vector<std::pair<std::string, std::string>> head_parts(const std::string& series,
                                                            const std::string& metric) {
  const size_t dot = series.find('.', metric.size() + 1);
  return {{"layer", series.substr(metric.size() + 1, dot - metric.size() - 1)},
          {"head", series.substr(dot + 1)}};
}

bool is_of_heads(const std::string& metric) {
  return metric == "attention.entropy" || metric == "attention.diagonal";
}

/// The trapezoids under the course, divided by its steps.
double mean_height(const Series& series) {
  if (series.steps.size() == 1) return series.values.front();
  double area = 0;
  for (size_t i = 1; i < series.steps.size(); ++i) {
    const auto width = static_cast<double>(series.steps[i] - series.steps[i - 1]);
    area += width * (static_cast<double>(series.values[i]) + series.values[i - 1]) / 2;
  }
  return area / static_cast<double>(series.steps.back() - series.steps.front());
}

TakenValue finished_if_finite(double value) {
  if (!std::isfinite(value)) return {Outcome::kDiverged, 0};
  return {Outcome::kFinished, value};
}

TakenValue best(const Series& series, bool higher) {
  std::optional<double> found;
  for (const float value : series.values) {
    if (!std::isfinite(value)) continue;
    if (!found || (higher ? value > *found : value < *found)) found = value;
  }
  return found ? TakenValue{Outcome::kFinished, *found} : TakenValue{Outcome::kDiverged, 0};
}

/// Compares as the records show the values: a float32 beside a threshold that was written as text.
TakenValue steps_to(const Series& series, double threshold, bool higher) {
  const auto wanted = static_cast<float>(threshold);
  for (size_t i = 0; i < series.steps.size(); ++i) {
    const float value = series.values[i];
    if (higher ? value >= wanted : value <= wanted) {
      return {Outcome::kFinished, static_cast<double>(series.steps[i])};
    }
  }
  return {Outcome::kNotReached, 0};
}

}  // namespace

std::optional<bool> higher_is_better(const MetricChoice& choice) {
  if (choice.higher_is_better) return choice.higher_is_better;
  if (starts_with(choice.name, kGradients)) return std::nullopt;
  std::string name = choice.name.substr(choice.name.rfind('.') + 1);
  for (char& letter : name) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  const auto names = [&](const std::vector<std::string>& known) {
    return std::any_of(known.begin(), known.end(),
                       [&](const std::string& one) { return name.find(one) != std::string::npos; });
  };
  if (names({"loss", "error", "perplexity", "nll", "mse", "mae", "seconds", "time"})) {
    return false;
  }
  if (names({"accuracy", "exact", "score", "precision", "recall", "auc", "f1"})) return true;
  if (name == "acc") return true;
  return std::nullopt;
}

std::optional<bool> higher_taken_is_better(const MetricChoice& choice) {
  return choice.taken == Taken::kStepsTo ? false : higher_is_better(choice);
}

std::string metric_title(const MetricChoice& choice) {
  switch (choice.taken) {
    case Taken::kEnd:
      return choice.name;
    case Taken::kBest:
      return "best " + choice.name;
    case Taken::kArea:
      return "mean height of " + choice.name;
    case Taken::kStepsTo:
      break;
  }
  constexpr int kDigits = 6;
  return "steps to " + choice.name + (higher_is_better(choice).value_or(true) ? " >= " : " <= ") +
         significant(choice.threshold, kDigits);
}

bool names_series(const std::string& metric, const std::string& series) {
  if (series == metric) return true;
  if (is_of_heads(metric)) return starts_with(series, metric + ".");
  if (!starts_with(metric, kGradients) || !starts_with(series, kGradients)) return false;
  return ends_with(series, "." + metric.substr(kGradients.size()));
}

std::vector<PartOfRun> series_of(const RecordedRun& run, const std::string& metric) {
  const auto exact = run.series.find(metric);
  if (exact != run.series.end()) return {{{}, &exact->second}};
  std::vector<PartOfRun> found;
  for (const auto& [name, series] : run.series) {
    if (!names_series(metric, name)) continue;
    if (is_of_heads(metric)) {
      found.push_back({head_parts(name, metric), &series});
    } else {
      found.push_back({{{"parameter", name.substr(kGradients.size())}}, &series});
    }
  }
  return found;
}

std::string short_metric_name(const std::string& series) {
  for (const char* of_heads : {"attention.entropy", "attention.diagonal"}) {
    if (names_series(of_heads, series)) return of_heads;
  }
  if (!starts_with(series, kGradients)) return series;
  // The last two steps of a longer path.
  const std::string path = series.substr(kGradients.size());
  const size_t last = path.rfind('.');
  const size_t before = last == std::string::npos ? last : path.rfind('.', last - 1);
  return before == std::string::npos ? series : std::string(kGradients) + path.substr(before + 1);
}

TakenValue take(const Series& series, const MetricChoice& choice) {
  require(!series.values.empty(), "a series must have values");
  const std::optional<bool> higher = higher_is_better(choice);
  const bool needs_direction = choice.taken == Taken::kBest || choice.taken == Taken::kStepsTo;
  require(higher || !needs_direction, "it must be known which values are better");
  switch (choice.taken) {
    case Taken::kEnd:
      return finished_if_finite(series.values.back());
    case Taken::kBest:
      return best(series, *higher);
    case Taken::kArea:
      return finished_if_finite(mean_height(series));
    case Taken::kStepsTo:
      break;
  }
  return steps_to(series, choice.threshold, *higher);
}

}  // namespace qkvlab

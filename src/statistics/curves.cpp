#include "statistics/curves.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "statistics/intervals.hpp"
#include "statistics/summary.hpp"

namespace qkvlab {

namespace {

/// One value of one of several runs.
struct Sample {
  int64_t step;
  size_t run;
  double value;
};

/// In the order of steps, then of runs, then as recorded.
std::vector<Sample> samples_of(const std::vector<const Series*>& runs) {
  std::vector<Sample> samples;
  size_t count = 0;
  for (const Series* series : runs) count += series->steps.size();
  samples.reserve(count);
  for (size_t run = 0; run < runs.size(); ++run) {
    for (size_t i = 0; i < runs[run]->steps.size(); ++i) {
      samples.push_back({runs[run]->steps[i], run, runs[run]->values[i]});
    }
  }
  std::stable_sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) {
    return std::tie(a.step, a.run) < std::tie(b.step, b.run);
  });
  return samples;
}

CurvePoint point_of(int64_t step, const std::vector<double>& finite, int64_t not_finite) {
  CurvePoint point;
  point.step = step;
  point.n = static_cast<int64_t>(finite.size());
  point.not_finite = not_finite;
  if (!finite.empty()) point.mean = summary_of(finite).mean;
  if (finite.size() > 1) point.band = mean_interval(finite).value;
  return point;
}

/// The places of the points that `thin` keeps, of `count`, in ascending order.
template <typename ValueAt>
std::vector<size_t> kept_places(size_t count, size_t most, const ValueAt& value_at) {
  require(most >= 4, "a thinned curve has room for its ends and one share");
  std::vector<size_t> kept;
  if (count <= most) {
    for (size_t i = 0; i < count; ++i) kept.push_back(i);
    return kept;
  }
  const size_t shares = (most - 2) / 2, between = count - 2;
  kept.push_back(0);
  for (size_t share = 0; share < shares; ++share) {
    const size_t begin = 1 + share * between / shares, end = 1 + (share + 1) * between / shares;
    std::optional<size_t> smallest, largest;
    for (size_t i = begin; i < end; ++i) {
      const double value = value_at(i);
      if (!std::isfinite(value)) continue;
      if (!smallest || value < value_at(*smallest)) smallest = i;
      if (!largest || value > value_at(*largest)) largest = i;
    }
    const auto [earlier, later] = std::minmax({smallest.value_or(begin), largest.value_or(begin)});
    kept.push_back(earlier);
    if (later != earlier) kept.push_back(later);
  }
  kept.push_back(count - 1);
  return kept;
}

}  // namespace

Curve curve_of(const std::vector<const Series*>& runs) {
  const std::vector<Sample> samples = samples_of(runs);
  Curve curve;
  std::vector<double> finite;
  for (size_t i = 0; i < samples.size();) {
    const int64_t step = samples[i].step;
    finite.clear();
    int64_t not_finite = 0;
    for (; i < samples.size() && samples[i].step == step; ++i) {
      const bool again = i + 1 < samples.size() && samples[i + 1].step == step &&
                         samples[i + 1].run == samples[i].run;
      if (again) continue;
      if (std::isfinite(samples[i].value)) {
        finite.push_back(samples[i].value);
      } else {
        ++not_finite;
      }
    }
    curve.push_back(point_of(step, finite, not_finite));
  }
  return curve;
}

std::vector<Curve> thin_together(const std::vector<Curve>& curves, size_t most) {
  constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
  constexpr size_t kExtremes = 3;  // of the mean, and of both ends of the band
  std::set<int64_t> steps;
  for (const Curve& curve : curves) {
    for (const CurvePoint& point : curve) steps.insert(point.step);
  }
  if (steps.size() <= most) return curves;
  steps.clear();
  const size_t each = std::max<size_t>(most / (kExtremes * curves.size()), 4);
  for (const Curve& curve : curves) {
    const auto keep = [&](const auto& value_at) {
      for (const size_t i : kept_places(curve.size(), each, value_at)) steps.insert(curve[i].step);
    };
    keep([&](size_t at) { return curve[at].mean.value_or(kNothing); });
    keep([&](size_t at) { return curve[at].band ? curve[at].band->low : kNothing; });
    keep([&](size_t at) { return curve[at].band ? curve[at].band->high : kNothing; });
  }
  std::vector<Curve> thinned;
  for (const Curve& curve : curves) {
    thinned.emplace_back();
    std::copy_if(curve.begin(), curve.end(), std::back_inserter(thinned.back()),
                 [&](const CurvePoint& point) { return steps.count(point.step) > 0; });
  }
  return thinned;
}

Series thin(const Series& series, size_t most) {
  Series thinned;
  for (const size_t i :
       kept_places(series.steps.size(), most, [&](size_t at) { return series.values[at]; })) {
    thinned.steps.push_back(series.steps[i]);
    thinned.values.push_back(series.values[i]);
  }
  return thinned;
}

}  // namespace qkvlab

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <unordered_map>
#include <utility>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/spelling.hpp"
#include "base/text_file.hpp"
#include "statistics/observations.hpp"

namespace qkvlab {

namespace {

/// Whether each value of a column stands beside two variants or more.
class ColumnValues {
 public:
  void add(const std::string& value, size_t variant) {
    const auto [found, is_new] = variants_.emplace(value, variant);
    if (!is_new && found->second != variant) found->second = kSeveral;
  }
  bool tells_cells_apart() const {
    return variants_.size() > 1 && std::all_of(variants_.begin(), variants_.end(),
                                               [](auto& one) { return one.second == kSeveral; });
  }
  size_t count() const { return variants_.size(); }

 private:
  static constexpr size_t kSeveral = static_cast<size_t>(-1);
  std::unordered_map<std::string, size_t> variants_;  // value -> the one variant, or kSeveral
};

class CsvObserver {
 public:
  CsvObserver(const std::string& path, const ObservationChoice& choice)
      : path_(path), choice_(choice), text_(read_text_file(path)) {}

  Observations observe() {
    find_columns();
    find_cells();
    read_csv(text_, path_, [this](const auto& fields, int64_t line) {
      if (line != first_line_) add(fields, line);
    });
    return std::move(observations_);
  }

 private:
  size_t column(const std::string& option, const std::string& title) const {
    const auto found = std::find(titles_.begin(), titles_.end(), title);
    if (found == titles_.end()) {
      throw UserError(path_ + ":" + std::to_string(first_line_) + ": " + option + ": " +
                      unknown_name("column", title, titles_));
    }
    return static_cast<size_t>(found - titles_.begin());
  }

  void find_columns() {
    read_csv(text_, path_, [this](const auto& fields, int64_t line) {
      if (!titles_.empty()) return;
      titles_ = fields;
      first_line_ = line;
    });
    if (titles_.empty()) throw UserError(path_ + ": is empty; its first line must name columns");
    observations_.metric = choice_.metric;
    std::string& metric = observations_.metric.name;
    if (metric.empty()) metric = titles_.back();
    variant_ = column("--variant-column", choice_.variant_column);
    seed_ = column("--seed-column", choice_.seed_column);
    metric_ = column("--metric", metric);
    if (!choice_.by.empty()) by_ = column("--by", choice_.by);
    if (metric_ == variant_ || metric_ == seed_) {
      throw UserError(path_ + ": --metric: the column '" + metric +
                      "' says which run it is; allowed: " + list_of_names(titles_));
    }
    if (choice_.metric.taken != Taken::kEnd) {
      throw UserError(path_ +
                      ": --take: a table has one value of a run, not its course; allowed: "
                      "end");
    }
  }

  void find_cells() {
    std::vector<ColumnValues> values(titles_.size());
    std::unordered_map<std::string, size_t> variants;
    read_csv(text_, path_, [&](const auto& fields, int64_t line) {
      if (line == first_line_) return;
      const size_t variant = variants.emplace(fields[variant_], variants.size()).first->second;
      for (size_t i = 0; i < fields.size(); ++i) {
        if (is_free(i)) values[i].add(fields[i], variant);
      }
    });
    std::string others;
    for (size_t i = 0; i < titles_.size(); ++i) {
      if (!is_free(i) || values[i].count() < 2) continue;
      if (values[i].tells_cells_apart()) {
        cell_columns_.push_back(i);
      } else {
        others += (others.empty() ? "" : ", ") + titles_[i];
      }
    }
    if (!others.empty()) {
      observations_.warnings.push_back(
          "not used, since they have values beside one variant alone: " + others);
    }
  }

  /// Whether a column is none of those that were asked for.
  bool is_free(size_t column) const {
    return column != variant_ && column != seed_ && column != metric_ && column != by_;
  }

  void add(const std::vector<std::string>& fields, int64_t line) {
    Observation observation;
    observation.place = path_ + ":" + std::to_string(line);
    observation.variant = fields[variant_];
    const auto seed = parse_integer(fields[seed_]);
    if (!seed) {
      throw UserError(observation.place + ": " + titles_[seed_] + ": must be an integer, got '" +
                      fields[seed_] + "'");
    }
    observation.seed = *seed;
    if (by_ != kNone) observation.group = fields[by_];
    for (const size_t column : cell_columns_) {
      std::string& cell = observation.cell;
      cell += (cell.empty() ? "" : " ") + titles_[column] + "=" + fields[column];
    }
    read_value(fields[metric_], observation);
    observations_.all.push_back(std::move(observation));
  }

  void read_value(const std::string& text, Observation& observation) const {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end != text.c_str() + text.size()) {
      throw UserError(observation.place + ": " + titles_[metric_] + ": must be a number, got '" +
                      text + "'");
    }
    if (text.empty() || !std::isfinite(value)) {
      observation.outcome = Outcome::kDiverged;
    } else {
      observation.value = value;
    }
  }

  static constexpr size_t kNone = static_cast<size_t>(-1);
  const std::string& path_;
  const ObservationChoice& choice_;
  const std::string text_;
  Observations observations_;
  std::vector<std::string> titles_;
  int64_t first_line_ = 0;
  size_t variant_ = kNone, seed_ = kNone, metric_ = kNone, by_ = kNone;
  std::vector<size_t> cell_columns_;
};

}  // namespace

Observations observe_csv(const std::string& path, const ObservationChoice& choice) {
  return CsvObserver(path, choice).observe();
}

}  // namespace qkvlab

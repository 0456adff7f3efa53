#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/number_text.hpp"
#include "base/spelling.hpp"
#include "base/text_file.hpp"
#include "statistics/observations.hpp"

namespace qkvlab {

namespace {

/// A line's variant, seed and table, as a hash: a million lines are remembered.
using LineKey = uint64_t;

/// What a column tells apart.
class ColumnValues {
 public:
  /// A value in a line, and the value in the first line of the same variant and seed.
  void add(uint64_t value, uint64_t first, LineKey key) {
    differs_ = differs_ || value != first;
    const auto [found, is_new] = keys_.emplace(value, key);
    if (!is_new && found->second != key) found->second = kSeveral;
  }
  /// Whether lines of one variant and seed differ in it, in values that others have too: so
  /// measurements, which differ as well, tell nothing apart.
  bool tells_cells_apart() const {
    return differs_ && std::all_of(keys_.begin(), keys_.end(),
                                   [](const auto& one) { return one.second == kSeveral; });
  }
  bool differs() const { return differs_; }

 private:
  static constexpr uint64_t kSeveral = 0;
  bool differs_ = false;
  std::unordered_map<uint64_t, LineKey> keys_;  // value -> the one variant and seed, or kSeveral
};

class CsvObserver {
 public:
  CsvObserver(const std::string& path, const ObservationChoice& choice)
      : path_(path), choice_(choice), text_(read_table_file(path)) {}

  Observations observe() {
    find_columns();
    find_cells();
    read_csv(text_, path_, [this](const auto& fields, int64_t line) {
      if (line != first_line_) add(fields, line);
    });
    return std::move(observations_);
  }

 private:
  size_t column(const std::string& title) const {
    const auto found = std::find(titles_.begin(), titles_.end(), title);
    if (found == titles_.end()) fail_in_titles(unknown_name("column", title, titles_));
    return static_cast<size_t>(found - titles_.begin());
  }

  [[noreturn]] void fail_in_titles(const std::string& complaint) const {
    throw UserError(path_ + ":" + std::to_string(first_line_) + ": " + complaint);
  }

  void find_columns() {
    read_csv(text_, path_, [this](const auto& fields, int64_t line) {
      if (!titles_.empty()) return;
      titles_ = fields;
      first_line_ = line;
    });
    if (titles_.empty()) throw UserError(path_ + ": is empty; its first line must name columns");
    for (size_t i = 0; i < titles_.size(); ++i) {
      if (column(titles_[i]) != i) fail_in_titles("two columns are named '" + titles_[i] + "'");
    }
    observations_.metric = choice_.metric;
    std::string& metric = observations_.metric.name;
    if (metric.empty()) metric = titles_.back();
    variant_ = column(choice_.variant_column);
    seed_ = column(choice_.seed_column);
    metric_ = column(metric);
    if (!choice_.by.empty()) by_ = column(choice_.by);
    for (const std::string& title : choice_.cell_columns) cell_columns_.push_back(column(title));
    if (metric_ == variant_ || metric_ == seed_) {
      fail_in_titles("the column '" + metric +
                     "' identifies the run, so it cannot be the metric; "
                     "allowed: " +
                     list_of_names(titles_));
    }
    if (choice_.metric.taken != Taken::kEnd) {
      throw UserError(path_ +
                      ": a table has one value per run, so --take has nothing to choose from");
    }
  }

  LineKey key_of(const std::vector<std::string>& fields) const {
    std::string key = fields[variant_] + '\n' + fields[seed_];
    if (by_ != kNone) key += '\n' + fields[by_];
    return xxh3_64(key);
  }

  void find_cells() {
    if (!cell_columns_.empty()) return;
    std::vector<ColumnValues> values(titles_.size());
    std::unordered_map<LineKey, std::vector<uint64_t>> first_lines;
    std::vector<uint64_t> hashes(titles_.size());
    read_csv(text_, path_, [&](const auto& fields, int64_t line) {
      if (line == first_line_) return;
      for (size_t i = 0; i < fields.size(); ++i) hashes[i] = xxh3_64(fields[i]);
      const LineKey key = key_of(fields);
      const std::vector<uint64_t>& first = first_lines.emplace(key, hashes).first->second;
      for (size_t i = 0; i < fields.size(); ++i) {
        if (is_free(i)) values[i].add(hashes[i], first[i], key);
      }
    });
    std::string others;
    for (size_t i = 0; i < titles_.size(); ++i) {
      if (!is_free(i) || !values[i].differs()) continue;
      if (values[i].tells_cells_apart()) {
        cell_columns_.push_back(i);
      } else {
        others += (others.empty() ? "" : ", ") + titles_[i];
      }
    }
    if (!others.empty()) {
      observations_.warnings.push_back("taken for measurements, not for cells of a seed: " +
                                       others);
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

  /// Empty, or NA as R writes it: the run has no value yet. Not finite: it diverged.
  void read_value(const std::string& text, Observation& observation) const {
    if (text.empty() || text == "NA") {
      observation.outcome = Outcome::kUnfinished;
      return;
    }
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, observation.value);
    // Sums and differences of larger numbers would not be finite.
    constexpr double kLargest = 1e100;
    const bool is_too_large =
        std::isfinite(observation.value) && std::abs(observation.value) > kLargest;
    if (error != std::errc() || stop != end || is_too_large) {
      throw UserError(
          observation.place + ": " + titles_[metric_] +
          ": must be a number of at most 1e100 in size, or empty, got '" + text + "'" +
          (choice_.metric.name.empty() ? "; --metric names another column than the last" : ""));
    }
    if (!std::isfinite(observation.value)) observation.outcome = Outcome::kDiverged;
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

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "record/recorded_runs.hpp"
#include "statistics/comparison.hpp"

namespace qkvlab {

/// The variants of a page, each with its place, by which all figures show it alike.
class PageVariants {
 public:
  /// Those of the first comparison, in its order, then what else runs are of.
  PageVariants(const Recording& recording, const std::vector<Comparison>& comparisons);

  const std::vector<std::string>& names() const { return names_; }

  /// The place of a name for variant_style. What comparisons call a variant that no run is named
  /// after (of another column, say) has a place of its own after those of `names`.
  size_t place_of(const std::string& name) const;

  /// A run's variant; where one seed of a variant stands in several experiments, with the
  /// experiment's folder or file.
  std::string name_of(const RecordedRun& run) const;

 private:
  std::vector<std::string> names_, others_;
  bool with_places_ = false;
};

/// How a variant looks on all figures, by its place: the classes of its lines and marks. Colours
/// and dashes are the style sheet's (.v0 to .v7, .again).
std::string variant_style(size_t variant);

/// A short line in that style, for legends and row labels.
std::string variant_sample(size_t variant);

/// A variant's name in HTML, its direction of writing kept to itself.
std::string html_name(std::string_view name);

/// "a, b and c"; of many the first, and how many more.
std::string list_of_some(const std::vector<std::string>& names, size_t most = 6);

}  // namespace qkvlab

#include "report/page_variants.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "report/page_text.hpp"
#include "statistics/run_fields.hpp"

namespace qkvlab {

PageVariants::PageVariants(const Recording& recording, const std::vector<Comparison>& comparisons) {
  std::set<std::pair<std::string, int64_t>> seen;
  for (const RecordedRun& run : recording.runs) {
    with_places_ |= !seen.emplace(name_in_cell(run), run.begin.seed).second;
  }
  const auto add = [this](const std::string& name) {
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
  };
  std::set<std::string> found;
  for (const RecordedRun& run : recording.runs) found.insert(name_of(run));
  if (!comparisons.empty()) {
    for (const VariantComparison& variant : comparisons.front().variants) {
      if (found.count(variant.variant) > 0) add(variant.variant);
    }
  }
  for (const RecordedRun& run : recording.runs) add(name_of(run));
  for (const Comparison& comparison : comparisons) {
    for (const VariantComparison& variant : comparison.variants) {
      const bool known = place_of(variant.variant) < names_.size() + others_.size();
      if (!known) others_.push_back(variant.variant);
    }
  }
}

size_t PageVariants::place_of(const std::string& name) const {
  const auto of_run = std::find(names_.begin(), names_.end(), name);
  if (of_run != names_.end()) return static_cast<size_t>(of_run - names_.begin());
  const auto other = std::find(others_.begin(), others_.end(), name);
  return names_.size() + static_cast<size_t>(other - others_.begin());
}

std::string PageVariants::name_of(const RecordedRun& run) const {
  if (!with_places_) return name_in_cell(run);
  return (run.folder.empty() ? run.file : run.folder) + ": " + name_in_cell(run);
}

std::string variant_style(size_t variant) {
  constexpr size_t kColours = 8;
  return "v" + std::to_string(variant % kColours) + (variant < kColours ? "" : " again");
}

std::string variant_sample(size_t variant) {
  return "<svg class=\"sample\" viewBox=\"0 0 28 10\" aria-hidden=\"true\"><path class=\"line " +
         variant_style(variant) + "\" d=\"M1 5H27\"/></svg>";
}

std::string html_name(std::string_view name) { return "<bdi>" + html_text(name) + "</bdi>"; }

std::string list_of_some(const std::vector<std::string>& names, size_t most) {
  std::string list;
  const size_t shown = names.size() > most + 1 ? most : names.size();
  for (size_t i = 0; i < shown; ++i) {
    if (i > 0) list += i + 1 == names.size() ? " and " : ", ";
    list += names[i];
  }
  if (shown < names.size()) list += " and " + std::to_string(names.size() - shown) + " more";
  return list;
}

}  // namespace qkvlab

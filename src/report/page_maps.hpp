#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "record/recorded_runs.hpp"
#include "report/map_choice.hpp"
#include "report/map_data.hpp"
#include "report/page_variants.hpp"

namespace qkvlab {

/// Which attention maps records hold. Of their weights it keeps a few only, to be drawn on paper;
/// for the others the records are read once more.
class MapCatalogue {
 public:
  /// For ReadingChoice::visit_attention.
  void add(const RecordedRun& run, const AttentionRecord& map);

  const std::vector<MapPlace>& places() const { return places_; }

  /// The first and the last map of one run of each variant: the smallest seed, layer, head, sample.
  struct Example {
    RecordedRun run;  // without its series
    AttentionRecord first, last;
  };
  std::vector<Example> examples() const;

  /// A sentence on what is no example, since it is too large or of a variant too many; empty where
  /// every variant has one.
  std::string words_on_examples() const;

 private:
  std::vector<MapPlace> places_;
  std::vector<Example> examples_;
  bool too_large_ = false, too_many_ = false;  // some maps are, or their variants
};

/// The section's figures for paper, and what its script puts in their place: `words` say what is
/// left out.
std::string maps_html(const MapCatalogue& catalogue, const PageVariants& variants,
                      const MapChoice& choice);

/// Reads the maps of `paths` once more and writes those that were chosen.
void write_map_data(const std::vector<std::string>& paths, const PageVariants& variants,
                    const MapChoice& choice, const PageSink& sink);

}  // namespace qkvlab

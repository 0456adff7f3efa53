#pragma once

#include <string>
#include <vector>

#include "record/recorded_runs.hpp"
#include "report/map_data.hpp"
#include "report/page_maps.hpp"
#include "statistics/comparison.hpp"

namespace qkvlab {

/// What a page tells of.
struct PageContent {
  std::vector<std::string> paths;  // where the records are: their maps are read once more
  Recording recording;  // with the series that wants_for_page names, and the compared one
  MapCatalogue maps;
  std::string metric;  // the name of the series that is compared
  std::vector<Comparison> comparisons;
  std::string comparison_json;  // as `qkvlab compare --format json` prints it
  std::string date;
};

/// Whether a page draws a series.
bool wants_for_page(const std::string& metric);

/// Writes one HTML file that needs no other and no network, piece by piece.
void write_page(const PageContent& content, const PageSink& sink);

}  // namespace qkvlab

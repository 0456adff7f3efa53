#include "report/page_maps.hpp"

#include <algorithm>
#include <tuple>

#include "report/map_svg.hpp"
#include "report/page_text.hpp"

namespace qkvlab {

namespace {

constexpr size_t kMostExamples = 12;

auto order_of(const RecordedRun& run, const AttentionRecord& map) {
  return std::make_tuple(run.begin.seed, map.layer, map.head, map.sample);
}

bool same_variant(const RecordedRun& a, const RecordedRun& b) {
  return a.begin.variant == b.begin.variant && a.begin.cell == b.begin.cell &&
         a.folder == b.folder && (!a.folder.empty() || a.file == b.file);
}

MapPlace place_in(const RecordedRun& run, const AttentionRecord& map) {
  return {run.begin.seed, map.step,   map.layer,
          map.head,       map.sample, map.queries * (map.keys + kRowBytes)};
}

}  // namespace

void MapCatalogue::add(const RecordedRun& run, const AttentionRecord& map) {
  places_.push_back(place_in(run, map));
  if (std::max(map.queries, map.keys) > kMostTokensOnPaper) {
    too_large_ = true;
    return;
  }
  auto example = std::find_if(examples_.begin(), examples_.end(),
                              [&](const Example& one) { return same_variant(one.run, run); });
  if (example == examples_.end()) {
    if (examples_.size() == kMostExamples) {
      too_many_ = true;
      return;
    }
    example = examples_.insert(examples_.end(), {run, map, map});
    example->run.series.clear();
    return;
  }
  const auto known = order_of(example->run, example->first), mine = order_of(run, map);
  if (mine < known) {
    *example = {run, map, map};
    example->run.series.clear();
  } else if (mine == known) {
    if (map.step < example->first.step) example->first = map;
    if (map.step >= example->last.step) example->last = map;
  }
}

std::vector<MapCatalogue::Example> MapCatalogue::examples() const { return examples_; }

std::string MapCatalogue::words_on_examples() const {
  std::string words;
  if (too_large_) {
    words = "On paper and without scripts there are no maps of more than " +
            std::to_string(kMostTokensOnPaper) + " tokens.";
  }
  if (too_many_) {
    words +=
        (words.empty() ? "" : " ") + ("On paper and without scripts there are maps of the first " +
                                      std::to_string(kMostExamples) + " variants alone.");
  }
  return words;
}

std::string maps_html(const MapCatalogue& catalogue, const PageVariants& variants,
                      const MapChoice& choice) {
  std::string html =
      "<p>Each row is a token that asks, each column one that it looks at; a row sums to 1, "
      "but where its query attends to nothing (all its weights are 0) or a weight is not finite. "
      "Weights are those before dropout, from dark (0) to bright (1); the live picture keeps each "
      "to within 1/504 of its row's largest.</p>\n";
  if (!choice.words.empty()) html += "<p>" + html_text(choice.words) + "</p>\n";
  const std::string missing = catalogue.words_on_examples();
  if (!missing.empty()) html += "<p>" + missing + "</p>\n";
  html += "<div id=\"map-viewer\" class=\"wide\" hidden></div>\n<div class=\"paper-maps wide\">";
  for (const MapCatalogue::Example& example : catalogue.examples()) {
    const AttentionRecord& map = example.first;
    html += "<section><h3>" + html_name(variants.name_of(example.run)) + "</h3><p>seed " +
            std::to_string(example.run.begin.seed) + ", layer " + std::to_string(map.layer) +
            ", head " + std::to_string(map.head) + ", sample " + std::to_string(map.sample) +
            "</p>" + map_figure(map);
    if (example.last.step != map.step) html += map_figure(example.last);
    html += "</section>\n";
  }
  return html + "</div>\n";
}

void write_map_data(const std::vector<std::string>& paths, const PageVariants& variants,
                    const MapChoice& choice, const PageSink& sink) {
  if (choice.maps == 0) return;
  MapData data(sink);
  ReadingChoice reading;
  reading.wants_series = [](const std::string&) { return false; };
  reading.visit_attention = [&](const RecordedRun& run, const AttentionRecord& map) {
    if (choice.has(place_in(run, map))) data.add(variants.name_of(run), run.begin.seed, map);
  };
  read_recording(paths, reading);
  data.finish();
}

}  // namespace qkvlab

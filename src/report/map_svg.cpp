#include "report/map_svg.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "base/terminal.hpp"
#include "report/colour_map.hpp"
#include "report/map_labels.hpp"
#include "report/page_text.hpp"
#include "report/svg_axis.hpp"

namespace qkvlab {

namespace {

constexpr int64_t kMostWithNumbers = 8;
constexpr size_t kMapLabelColumns = 12;
constexpr double kColumn = 6.5;  // of a label's text, in user units

std::string label_of(const AttentionRecord& map, int64_t token) {
  if (token >= static_cast<int64_t>(map.tokens.size())) return std::to_string(token);
  return token_label(map.tokens[static_cast<size_t>(token)], kMapLabelColumns);
}

std::string cell_of(double weight, double x, double y, double side, bool with_number) {
  std::string svg = "<rect x=\"" + svg_number(x) + "\" y=\"" + svg_number(y) + "\" width=\"" +
                    svg_number(side) + "\" height=\"" + svg_number(side) + "\" fill=\"" +
                    (std::isfinite(weight) ? weight_colour(weight) : "none") + "\"/>";
  if (!with_number) return svg;
  const std::string text = std::isfinite(weight) ? fixed(weight, 2) : "?";
  const bool dark = !std::isfinite(weight) || wants_dark_text(weight);
  return svg +
         svg_text(x + side / 2, y + side / 2 + 4, dark ? "weight dark" : "weight light", text);
}

}  // namespace

std::string map_figure(const AttentionRecord& map) {
  const bool with_numbers = std::max(map.queries, map.keys) <= kMostWithNumbers;
  const double side = with_numbers ? 34 : 12;
  size_t columns = 1;
  for (int64_t i = 0; i < std::max(map.queries, map.keys); ++i) {
    columns = std::max(columns, display_width(label_of(map, i)));
  }
  const double room = 6 + kColumn * static_cast<double>(columns);
  const double width = room + side * static_cast<double>(map.keys) + 2;
  const double height = room + side * static_cast<double>(map.queries) + 2;
  const std::string entropy = [&] {
    double sum = 0;
    for (const float one : map.entropy) sum += one;
    return number_for_people(sum / std::max<double>(1, static_cast<double>(map.entropy.size())), 3);
  }();
  const std::string words = "step " + std::to_string(map.step) + ": entropy " + entropy +
                            ", on itself " + number_for_people(map.diagonal, 3);
  std::string svg = svg_begin(width, height, "Attention map, " + words);
  svg.insert(4, " class=\"map\" width=\"" + svg_number(width) + "\" height=\"" +
                    svg_number(height) + "\"");
  for (int64_t key = 0; key < map.keys; ++key) {
    const double x = room + side * (static_cast<double>(key) + 0.5);
    const std::string place = svg_number(x + 4) + " " + svg_number(room - 5);
    svg += "<text class=\"token\" transform=\"translate(" + place + ") rotate(-90)\">" +
           html_text(label_of(map, key)) + "</text>";
  }
  for (int64_t query = 0; query < map.queries; ++query) {
    const double y = room + side * static_cast<double>(query);
    svg += svg_text(room - 5, y + side / 2 + 4, "token end", label_of(map, query));
    for (int64_t key = 0; key < map.keys; ++key) {
      svg += cell_of(map.weights[static_cast<size_t>(query * map.keys + key)],
                     room + side * static_cast<double>(key), y, side, with_numbers);
    }
  }
  return "<figure class=\"small\">" + svg + "</svg><figcaption>" + words + "</figcaption></figure>";
}

}  // namespace qkvlab

#include "cli/show_maps.hpp"

#include <algorithm>

#include "base/number_text.hpp"
#include "report/heat_map.hpp"
#include "report/map_labels.hpp"
#include "report/text_block.hpp"
#include "report/weight_grid.hpp"

namespace qkvlab {

namespace {

/// Of one run, by layer and head, each in the order of steps.
using MapsOfRun = std::vector<std::vector<AttentionRecord>>;

struct MapsOfVariant {
  std::string name;
  int64_t seed = 0;
  MapsOfRun maps;
  size_t left_out = 0;  // heads that are not shown
};

constexpr size_t kGap = 3;

/// How many maps that can be read have room beside each other.
size_t maps_beside(const TextStyle& style) {
  constexpr size_t kReadable = 36;  // columns
  return std::max<size_t>((style.width + kGap) / (kReadable + kGap), 1);
}

/// The heads of one variant that are shown of those that are there, with `steps` maps of each:
/// without an option that chooses, what fills a screen or two.
size_t most_heads(size_t variants, size_t steps, bool narrowed, const TextStyle& style) {
  constexpr size_t kMostMaps = 96, kMostLinesOfMaps = 6;
  if (narrowed) return std::max<size_t>(kMostMaps / variants / steps, 1);
  const size_t heads_to_line = std::max<size_t>(maps_beside(style) / steps, 1);
  return std::max<size_t>(kMostLinesOfMaps / variants, 1) * heads_to_line;
}

std::vector<MapsOfVariant> chosen_maps(const ShownMaps& maps,
                                       const std::vector<ShownVariant>& variants, bool narrowed,
                                       const TextStyle& style) {
  std::vector<MapsOfVariant> chosen;
  for (const ShownVariant& variant : variants) {
    MapsOfVariant one;
    one.name = variant.name;
    for (const RecordedRun* run : variant.runs) {
      one.maps = maps.of_run(*run);
      one.seed = run->begin.seed;
      if (!one.maps.empty()) break;
    }
    if (!one.maps.empty()) {
      const size_t heads = most_heads(variants.size(), one.maps.front().size(), narrowed, style);
      one.left_out = one.maps.size() - std::min(one.maps.size(), heads);
      one.maps.resize(one.maps.size() - one.left_out);
    }
    chosen.push_back(std::move(one));
  }
  return chosen;
}

float mean_of(const std::vector<float>& values) {
  float sum = 0;
  for (const float value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<float>(values.size());
}

std::vector<std::string> title_of(const AttentionRecord& map) {
  return {
      "layer " + std::to_string(map.layer) + ", head " + std::to_string(map.head) + ", step " +
          std::to_string(map.step),
      "entropy " + fixed(mean_of(map.entropy), 2) + " nats, diagonal " + fixed(map.diagonal, 2)};
}

/// The room for one of `count` maps: as many beside each other as can be read, but before and after
/// together.
MapRoom room_for(size_t count, const TextStyle& style) {
  constexpr size_t kLeastLines = 24;
  const size_t beside = std::min(maps_beside(style), count);
  MapRoom room;
  room.columns = (style.width + kGap) / beside - kGap;
  room.at_most = style.width;
  room.lines = std::max(kLeastLines, style.width / 3);
  return room;
}

/// `legend` is of the tokens that the variant before named, and becomes this one's.
std::string variant_text(const MapsOfVariant& variant, const WeightScale& scale,
                         const TextStyle& style, std::string& legend) {
  if (variant.maps.empty()) return variant.name + ": no attention maps recorded\n";
  size_t count = 0;
  for (const auto& of_head : variant.maps) count += of_head.size();
  const MapRoom room = room_for(count, style);
  std::vector<TextBlock> blocks;
  bool all_named = true;
  for (const auto& of_head : variant.maps) {
    for (const AttentionRecord& map : of_head) {
      HeatMap drawn = heat_map(map, title_of(map), scale, style, room);
      blocks.push_back(std::move(drawn.block));
      all_named = all_named && drawn.names_tokens;
    }
  }
  std::string text = variant.name + ", seed " + std::to_string(variant.seed) + ", sample " +
                     std::to_string(variant.maps.front().front().sample);
  if (variant.left_out > 0) text += "; " + std::to_string(variant.left_out) + " more heads";
  text += '\n' + side_by_side(blocks, style.width, variant.maps.front().size());
  const std::string tokens =
      all_named ? "" : token_legend(variant.maps.front().front(), style.width);
  if (tokens != legend) text += tokens;
  legend = tokens;
  return text;
}

}  // namespace

std::string maps_text(const ShownMaps& maps, const std::vector<ShownVariant>& variants,
                      bool narrowed, const TextStyle& style) {
  const std::vector<MapsOfVariant> chosen = chosen_maps(maps, variants, narrowed, style);
  double largest = 0;
  bool any = false;
  for (const MapsOfVariant& variant : chosen) {
    for (const auto& of_head : variant.maps) {
      any = true;
      for (const AttentionRecord& map : of_head) {
        largest = std::max(largest, largest_weight(map));
      }
    }
  }
  if (!any && !maps.seen().steps.empty()) {
    return paragraph("",
                     "No attention map matches all of these options; recorded: layers " +
                         numbers_text(maps.seen().layers) + ", heads " +
                         numbers_text(maps.seen().heads) + ", steps " +
                         numbers_text(maps.seen().steps),
                     0, style.width);
  }
  if (!any) {
    return paragraph("",
                     "No attention maps are recorded: record.attention.every of a config says how "
                     "often (0: never), of runs that are trained from then on (--out or "
                     "--overwrite)",
                     0, style.width);
  }
  const WeightScale scale(largest, style);
  std::string text = "attention: rows are queries, columns are keys\n\n";
  std::string legend;
  for (const MapsOfVariant& variant : chosen) {
    text += variant_text(variant, scale, style, legend) + "\n";
  }
  if (maps.left_some_out()) {
    text += paragraph(
                "", "Not all maps are shown: they are too many. --layer, --head and --step choose.",
                0, style.width) +
            "\n";
  }
  return text + side_by_side({scale.legend()}, style.width);
}

}  // namespace qkvlab

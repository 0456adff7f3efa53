#include "report/map_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/number_text.hpp"
#include "base/terminal.hpp"
#include "report/colour_map.hpp"
#include "report/map_labels.hpp"
#include "report/page_text.hpp"

namespace qkvlab {

namespace {

constexpr size_t kNamedTokenColumns = 24;
constexpr size_t kChunkBytes = size_t{256} << 10;

std::string json_string(std::string_view text) {
  std::string json;
  append_json_string(json, text);
  return json;
}

std::string tokens_json(const std::vector<std::string>& tokens) {
  std::string json = "[";
  for (size_t i = 0; i < tokens.size(); ++i) {
    json += (i > 0 ? "," : "") + json_string(token_label(tokens[i], kNamedTokenColumns));
  }
  return json + "]";
}

/// Four digits, or null where it is not finite.
std::string rounded(double value) { return std::isfinite(value) ? significant(value, 4) : "null"; }

double mean_of(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

}  // namespace

std::string weight_bytes(const AttentionRecord& map) {
  std::string bytes;
  bytes.reserve(static_cast<size_t>(map.queries * (map.keys + kRowBytes)));
  for (int64_t query = 0; query < map.queries; ++query) {
    const auto begin = map.weights.begin() + query * map.keys, end = begin + map.keys;
    float largest = 0;
    for (auto weight = begin; weight != end; ++weight) {
      if (std::isfinite(*weight)) largest = std::max(largest, *weight);
    }
    uint32_t bits = 0;
    std::memcpy(&bits, &largest, sizeof bits);
    for (int64_t i = 0; i < kRowBytes; ++i) bytes += static_cast<char>(bits >> (8 * i) & 255U);
    for (auto weight = begin; weight != end; ++weight) {
      unsigned char byte = kNoWeight;
      if (std::isfinite(*weight)) {
        const float share = largest > 0 ? std::clamp(*weight / largest, 0.0f, 1.0f) : 0;
        byte = static_cast<unsigned char>(std::lround(share * kWeightLevels));
      }
      bytes += static_cast<char>(byte);
    }
  }
  return bytes;
}

int64_t MapData::place_in(std::map<std::string, int64_t>& numbers, std::string& list,
                          const std::string& json) {
  const auto [found, is_new] = numbers.emplace(json, static_cast<int64_t>(numbers.size()));
  if (is_new) list += (list.empty() ? "" : ",") + json;
  return found->second;
}

void MapData::add(const std::string& variant, int64_t seed, const AttentionRecord& map) {
  // A seed as text: scripts hold whole numbers up to 2⁵³ only.
  const std::vector<std::string> numbers = {
      std::to_string(place_in(variants_, variant_list_, json_string(printable(variant)))),
      std::to_string(place_in(seeds_, seed_list_, "\"" + std::to_string(seed) + "\"")),
      std::to_string(map.layer),
      std::to_string(map.head),
      std::to_string(map.sample),
      std::to_string(map.step),
      std::to_string(map.queries),
      std::to_string(map.keys),
      std::to_string(place_in(tokens_, token_list_, tokens_json(map.tokens))),
      rounded(mean_of(map.entropy)),
      rounded(map.diagonal)};
  for (const std::string& number : numbers) places_ += (places_.empty() ? "" : ",") + number;
  if (chunk_.empty()) chunks_ += (chunks_.empty() ? "" : ",") + std::to_string(count_);
  chunk_ += (chunk_.empty() ? "\"" : ",\n\"") + base64(weight_bytes(map)) + "\"";
  ++count_;
  if (chunk_.size() >= kChunkBytes) end_chunk();
}

void MapData::end_chunk() {
  if (chunk_.empty()) return;
  sink_("<script type=\"application/json\" class=\"maps\">[" + chunk_ + "]</script>\n");
  chunk_.clear();
}

void MapData::finish() {
  end_chunk();
  std::string colours;
  for (const char* colour : kWeightColours) {
    colours += std::string(colours.empty() ? "" : ",") + "\"" + colour + "\"";
  }
  sink_("<script type=\"application/json\" id=\"maps\">" +
        script_json("{\"levels\":" + std::to_string(kWeightLevels) + ",\"colours\":[" + colours +
                    "],\"variants\":[" + variant_list_ + "],\"seeds\":[" + seed_list_ +
                    "],\n\"tokens\":[" + token_list_ + "],\n\"chunks\":[" + chunks_ +
                    "],\n\"maps\":[" + places_ + "]}") +
        "</script>\n");
}

}  // namespace qkvlab

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "record/records.hpp"

namespace qkvlab {

/// Takes the next piece of a page.
using PageSink = std::function<void(std::string_view)>;

/// Weights are rounded to this many equal steps of a byte: it is divided by 2, 3, 4, 6, 7, 9 and
/// 12, so that the average of so many tokens is exact; all others are right to within 0.002.
constexpr int kWeightLevels = 252;
/// The byte of a weight that is not finite.
constexpr unsigned char kNoWeight = 255;

/// A byte for each weight.
std::string weight_bytes(const std::vector<float>& weights);

/// Writes attention maps into a page as they come, for its script to decode one when it is looked
/// at: elements <script class="maps"> that hold JSON lists of base64, and at last
/// <script id="maps">, which says where every map belongs.
class MapData {
 public:
  explicit MapData(PageSink sink) : sink_(std::move(sink)) {}

  void add(const std::string& variant, int64_t seed, const AttentionRecord& map);
  void finish();

 private:
  int64_t place_in(std::map<std::string, int64_t>& numbers, std::string& list,
                   const std::string& json);
  void end_chunk();

  PageSink sink_;
  std::string chunk_;
  std::string places_, chunks_;  // JSON lists without their brackets
  int64_t count_ = 0;
  std::map<std::string, int64_t> variants_, seeds_, tokens_;  // JSON -> its place in the list
  std::string variant_list_, seed_list_, token_list_;
};

}  // namespace qkvlab

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

/// Weights are rounded to this many equal steps of their row's largest, so that those of a row that
/// attends to many tokens, all small, are right to within 1/504 of the largest too. It is divided
/// by 2, 3, 4, 6, 7, 9 and 12: such shares of the largest are exact.
constexpr int kWeightLevels = 252;
/// The byte of a weight that is not finite.
constexpr unsigned char kNoWeight = 255;
/// Bytes before those of a row: its largest finite weight (0 where there is none) as a
/// little-endian IEEE float.
constexpr int64_t kRowBytes = 4;

/// Row by row, kRowBytes and a byte for each weight: how many steps of the largest it has.
std::string weight_bytes(const AttentionRecord& map);

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

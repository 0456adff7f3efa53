#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/safetensors.hpp"

namespace qkvlab {

/// What the reader and the writer of safetensors files share; private to them.
constexpr size_t kSafetensorsLengthBytes = 8;               // of the header's length
constexpr size_t kMaxSafetensorsHeaderBytes = 100'000'000;  // the format's own limit
constexpr std::string_view kSafetensorsMetadataKey = "__metadata__";

struct StoredType {
  DataType type;
  const char* name;
  int64_t bytes;  // of an element
};
constexpr std::array<StoredType, 5> kStoredTypes = {{{DataType::kFloat32, "F32", 4},
                                                     {DataType::kFloat64, "F64", 8},
                                                     {DataType::kInt64, "I64", 8},
                                                     {DataType::kUint8, "U8", 1},
                                                     {DataType::kBool, "BOOL", 1}}};

inline const StoredType& stored_type(DataType type) {
  return *std::find_if(kStoredTypes.begin(), kStoredTypes.end(),
                       [type](const StoredType& entry) { return entry.type == type; });
}

/// The bytes that a tensor takes; nothing where a size is negative, or where the tensor or a stride
/// of it (an empty tensor has strides too) would be beyond int64.
inline std::optional<int64_t> stored_bytes(DataType type, const std::vector<int64_t>& shape) {
  int64_t bytes = stored_type(type).bytes;
  for (const int64_t size : shape) {
    const int64_t factor = std::max<int64_t>(size, 1);
    if (size < 0 || bytes > INT64_MAX / factor) return std::nullopt;
    bytes *= factor;
  }
  return std::find(shape.begin(), shape.end(), 0) == shape.end() ? bytes : 0;
}

}  // namespace qkvlab

#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace qkvlab {

/// Takes a text piece by piece.
using TextSink = std::function<void(std::string_view piece)>;

/// Writes row-major `values` of the given shape as nested JSON arrays without blanks:
/// [[1,2],[3,4]] for the shape {2, 2}, [[],[]] for {2, 0}, a bare number for an empty shape.
/// Numbers are those of append_number. The pieces are of some 64 KiB, so the text of a large tensor
/// is never in memory as a whole. There must be as many values as the shape says (checked).
void write_nested_array(const std::vector<float>& values, const std::vector<int64_t>& shape,
                        const TextSink& write);
void write_nested_array(const std::vector<double>& values, const std::vector<int64_t>& shape,
                        const TextSink& write);

}  // namespace qkvlab

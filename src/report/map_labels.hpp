#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "record/records.hpp"

namespace qkvlab {

/// A token for people, at most `width` columns: printable, a blank, a line's end and a tab as "␣",
/// "↵" and "→", an empty one as "''".
std::string token_label(const std::string& token, size_t width);

/// The tokens of a map's queries or keys (`count` of them); none where it has not one for each.
std::vector<std::string> token_labels(const AttentionRecord& map, int64_t count, size_t width);

/// Whether each label is one character of at most `width` columns, so that they can stand without
/// gaps.
bool are_characters(const std::vector<std::string>& labels, size_t width);

/// "0 the  1 wind  2 blows", in lines of at most `width` columns. Of very many tokens the first
/// only.
std::string token_legend(const AttentionRecord& map, size_t width);

}  // namespace qkvlab

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace qkvlab {

/// The next word at or after byte `at`, which moves past it: what stands between blanks (space,
/// tab, carriage return, U+3000), where a newline is a word of its own. Empty at the end.
std::string_view next_word(std::string_view text, size_t& at);

/// All words of a text.
std::vector<std::string> split_words(std::string_view text);

}  // namespace qkvlab

#include "report/map_labels.hpp"

#include <algorithm>

#include "base/terminal.hpp"
#include "base/utf8.hpp"
#include "report/text_block.hpp"

namespace qkvlab {

std::string token_label(const std::string& token, size_t width) {
  if (token.empty()) return "''";
  // Blanks that nobody would see: all but those between other letters.
  const size_t first = token.find_first_not_of(' '), last = token.find_last_not_of(' ');
  std::string shown;
  for (size_t i = 0; i < token.size(); ++i) {
    const bool at_an_end = first == std::string::npos || i < first || i > last;
    if (token[i] == ' ' && at_an_end) {
      shown += "␣";
    } else if (token[i] == '\n') {
      shown += "↵";
    } else if (token[i] == '\t') {
      shown += "→";
    } else {
      shown += token[i];
    }
  }
  return shorten(printable(shown), width);
}

std::vector<std::string> token_labels(const AttentionRecord& map, int64_t count, size_t width) {
  std::vector<std::string> labels;
  if (static_cast<int64_t>(map.tokens.size()) != count) return labels;
  for (const std::string& token : map.tokens) labels.push_back(token_label(token, width));
  return labels;
}

bool are_characters(const std::vector<std::string>& labels, size_t width) {
  return std::all_of(labels.begin(), labels.end(), [width](const std::string& label) {
    size_t at = 0;
    return next_code_point(label, at) && at == label.size() && display_width(label) <= width;
  });
}

std::string token_legend(const AttentionRecord& map, size_t width) {
  constexpr size_t kMostTokens = 100, kTokenColumns = 24;
  if (map.tokens.size() > kMostTokens) return "";
  std::vector<std::string> entries;
  for (size_t i = 0; i < map.tokens.size(); ++i) {
    entries.push_back(std::to_string(i) + " " + token_label(map.tokens[i], kTokenColumns));
  }
  std::string text;
  for (const std::string& line : wrapped(entries, "  ", width)) text += line + '\n';
  return text;
}

}  // namespace qkvlab

#include "base/spelling.hpp"

#include <algorithm>
#include <cstddef>

#include "base/utf8.hpp"

namespace qkvlab {

namespace {

/// Upper-case ASCII letters count as lower-case ones.
std::u32string code_points(std::string_view text) {
  std::u32string result;
  for (size_t at = 0; at < text.size();) {
    const auto code_point = next_code_point(text, at);
    char32_t c = code_point ? *code_point : static_cast<unsigned char>(text[at++]);
    if (U'A' <= c && c <= U'Z') c += U'a' - U'A';
    result += c;
  }
  return result;
}

/// Edits (insert, delete, replace, swap two neighbours) that turn `a` into `b`.
size_t distance(const std::u32string& a, const std::u32string& b) {
  // Rows i - 2, i - 1 and i of the table whose [i][j] is the distance of the first i of a and the
  // first j of b.
  std::vector<size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

/// What is behind the last '.'; all where there is none.
std::u32string last_part(const std::u32string& name) { return name.substr(name.rfind(U'.') + 1); }

}  // namespace

std::optional<std::string> nearest_spelling(std::string_view word,
                                            const std::vector<std::string>& candidates) {
  const std::u32string given = code_points(word);
  std::optional<std::string> nearest;
  size_t smallest = 0;
  for (const std::string& candidate : candidates) {
    const std::u32string wanted = code_points(candidate);
    const size_t shorter = std::min(given.size(), wanted.size());
    const size_t longer = std::max(given.size(), wanted.size());
    const size_t limit = (longer + 2) / 3;
    // The distance is never below the difference in length; a huge word costs nothing.
    if (longer - shorter > limit) continue;
    const size_t edits = distance(given, wanted);
    // Where every letter differs there is nothing to recognise.
    if (edits <= limit && edits < longer && (!nearest || edits < smallest)) {
      nearest = candidate;
      smallest = edits;
    }
  }
  if (nearest) return nearest;
  const std::u32string last = last_part(given);
  const auto same = std::find_if(candidates.begin(), candidates.end(), [&](const auto& candidate) {
    return !last.empty() && last_part(code_points(candidate)) == last;
  });
  return same == candidates.end() ? std::nullopt : std::make_optional(*same);
}

std::string list_of_names(const std::vector<std::string>& names) {
  std::string list;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) list += i + 1 == names.size() ? " or " : ", ";
    list += names[i];
  }
  return list;
}

std::string unknown_name(std::string_view what, std::string_view given,
                         const std::vector<std::string>& allowed) {
  std::string message = "unknown " + std::string(what) + " '" + std::string(given) + "'; allowed: ";
  message += allowed.empty() ? "none" : list_of_names(allowed);
  if (const auto nearest = nearest_spelling(given, allowed)) {
    message += "; did you mean '" + *nearest + "'?";
  }
  return message;
}

}  // namespace qkvlab

#include "report/text_block.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/error.hpp"
#include "base/terminal.hpp"

namespace qkvlab {

void TextBlock::add(std::string_view line) {
  line = line.substr(0, line.find_last_not_of(' ') + 1);
  add(std::string(line), display_width(line));
}

void TextBlock::add(std::string line, size_t width) {
  width_ = std::max(width_, width);
  const size_t end =
      line.find_last_not_of(' ') + 1;  // coloured blanks are before an escape sequence
  width -= line.size() - end;
  line.resize(end);
  lines_.push_back({std::move(line), width});
}

std::string side_by_side(const std::vector<TextBlock>& blocks, size_t width, size_t together) {
  constexpr size_t kGap = 3;
  require(together > 0, "a line holds one block at least");
  std::string text;
  for (size_t begin = 0, end; begin < blocks.size(); begin = end) {
    size_t taken = blocks[begin].width();
    for (end = begin + 1; end < blocks.size(); ++end) {
      taken += kGap + blocks[end].width();
      if (taken > width) break;
    }
    if (end < blocks.size() && end - begin > together) end -= (end - begin) % together;
    size_t height = 0;
    for (size_t i = begin; i < end; ++i) height = std::max(height, blocks[i].height());
    if (begin > 0) text += '\n';
    for (size_t row = 0; row < height; ++row) {
      size_t start = 0, column = 0;
      for (size_t i = begin; i < end; ++i) {
        if (row < blocks[i].height() && blocks[i].lines_[row].width > 0) {
          const TextBlock::Line& line = blocks[i].lines_[row];
          text += std::string(start - column, ' ') + line.text;
          column = start + line.width;
        }
        start += blocks[i].width() + kGap;
      }
      text += '\n';
    }
  }
  return text;
}

std::vector<std::string> wrapped(const std::vector<std::string>& entries,
                                 const std::string& separator, size_t width) {
  std::vector<std::string> lines;
  size_t taken = 0;
  for (const std::string& entry : entries) {
    const size_t columns = display_width(entry), more = display_width(separator) + columns;
    if (!lines.empty() && taken + more <= width) {
      lines.back() += separator + entry;
      taken += more;
    } else {
      lines.push_back(entry);
      taken = columns;
    }
  }
  return lines;
}

std::string paragraph(const std::string& first, const std::string& words, size_t indent,
                      size_t width, const std::string& continued) {
  const size_t columns = width - std::min(width, display_width(continued));
  std::string text, line = first;
  bool has_word = false;
  std::istringstream stream(words);
  for (std::string word; stream >> word;) {
    if (has_word && display_width(line) + 1 + display_width(word) > columns) {
      text += line + continued + "\n";
      line = std::string(indent, ' ') + word;
    } else {
      line += (has_word ? " " : "") + word;
    }
    has_word = true;
  }
  return text + line + "\n";
}

std::string fitted(const std::string& line, size_t indent, size_t width) {
  return display_width(line) <= width ? line + "\n" : paragraph("", line, indent, width);
}

size_t widest(const std::vector<std::string>& texts) {
  size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, display_width(text));
  return width;
}

}  // namespace qkvlab

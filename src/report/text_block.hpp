#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace qkvlab {

/// Lines of text that stand beside others. They may hold escape sequences, whose width cannot be
/// told from the text: so it is said.
class TextBlock {
 public:
  /// Plain text; its width is measured.
  void add(std::string_view line);
  void add(std::string line, size_t width);

  size_t width() const { return width_; }  // columns of its widest line
  size_t height() const { return lines_.size(); }

 private:
  friend std::string side_by_side(const std::vector<TextBlock>& blocks, size_t width,
                                  size_t together);
  struct Line {
    std::string text;
    size_t width;
  };
  std::vector<Line> lines_;
  size_t width_ = 0;
};

/// The blocks from left to right, as many beside each other as `width` columns hold (one at least),
/// then the next beneath, an empty line between. Where `together` of them or more fit, lines hold
/// multiples of that. Lines end in '\n' and not in blanks.
std::string side_by_side(const std::vector<TextBlock>& blocks, size_t width, size_t together = 1);

/// The entries in lines of at most `width` columns where none is wider, `separator` between.
std::vector<std::string> wrapped(const std::vector<std::string>& entries,
                                 const std::string& separator, size_t width);

/// Words in lines of at most `width` columns, which end in '\n'; the first begins with `first`,
/// further ones with `indent` blanks. A word is never broken: one that is wider stands on a line of
/// its own. `continued` is put behind every line but the last, within the width.
std::string paragraph(const std::string& first, const std::string& words, size_t indent,
                      size_t width, const std::string& continued = "");

/// `line` as it is where it is no wider than `width`, else its words as a paragraph.
std::string fitted(const std::string& line, size_t indent, size_t width);

/// The columns of the widest of some texts; 0 where there is none.
size_t widest(const std::vector<std::string>& texts);

}  // namespace qkvlab

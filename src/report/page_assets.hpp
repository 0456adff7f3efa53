#pragma once

#include <string_view>

namespace qkvlab {

/// A file that pages carry inside, in the program since it was built (src/report/page/embed.cmake).
struct PageAsset {
  std::string_view text;
  std::string_view sha256;  // of that text, in hexadecimal digits
};

extern const PageAsset kPageFrame;        // page.html: what stands around the sections
extern const PageAsset kPageStyle;        // page.css
extern const PageAsset kPageScript;       // all .js, in one
extern const PageAsset kDygraphs;         // Debian's dygraph.min.js: draws the curves
extern const PageAsset kDygraphsLicence;  // its notice, which must go with every copy

}  // namespace qkvlab

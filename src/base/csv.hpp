#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace qkvlab {

/// Reads a table of comma-separated values (RFC 4180: fields in quotes may hold separators, line
/// breaks and, doubled, quotes; lines may end in CRLF), or of values separated by ';' or tabs, as
/// its first line shows. Calls `visit` with the fields of every line that is not empty, the titles
/// first, and the number of the line. Throws UserError naming `source` and the line where a line
/// has another number of fields than the first, or a quote is not closed.
void read_csv(
    std::string_view text, const std::string& source,
    const std::function<void(const std::vector<std::string>& fields, int64_t line)>& visit);

/// `field` as it stands in a line of comma-separated values: in quotes where it must be.
std::string csv_field(std::string_view field);

}  // namespace qkvlab

#pragma once

#include <string>
#include <variant>
#include <vector>

#include "record/record_lines.hpp"
#include "record/sink.hpp"

namespace qkvlab {

/// Keeps the records that it is sent.
class CollectingSink : public RecordSink {
 public:
  void emit(const Record& record) override { records.push_back(record); }

  /// Those of one type, in order.
  template <typename Type>
  std::vector<Type> all() const {
    std::vector<Type> result;
    for (const Record& record : records) {
      if (const Type* typed = std::get_if<Type>(&record)) result.push_back(*typed);
    }
    return result;
  }

  /// All of them as JSON lines: equal texts are equal to the last bit.
  std::string text() const {
    std::string lines;
    for (const Record& record : records) append_record(lines, record);
    return lines;
  }

  std::vector<Record> records;
};

}  // namespace qkvlab

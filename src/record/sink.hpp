#pragma once

#include "record/records.hpp"

namespace qkvlab {

/// Where a computation sends its records; it opens no file itself.
class RecordSink {
 public:
  virtual ~RecordSink() = default;
  virtual void emit(const Record& record) = 0;
};

}  // namespace qkvlab

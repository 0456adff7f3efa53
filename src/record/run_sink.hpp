#pragma once

#include <string>
#include <utility>

#include "record/sink.hpp"

namespace qkvlab {

/// Adds a run's id to its records and sends them on.
class RunSink {
 public:
  RunSink(std::string run, RecordSink& sink) : run_(std::move(run)), sink_(sink) {}

  template <typename Type>
  void emit(Type record) const {
    record.run = run_;
    sink_.emit(Record(std::move(record)));
  }

 private:
  std::string run_;
  RecordSink& sink_;
};

}  // namespace qkvlab

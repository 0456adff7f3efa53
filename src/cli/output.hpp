#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_file.hpp"
#include "record/sink.hpp"

namespace qkvlab {

/// Where a command's data goes: standard output, or a file that appears whole or not at all.
class Output {
 public:
  /// Standard output where `file` is empty. Throws UserError, as write and finish do; also where
  /// `file` is one of `inputs`, the files that the data is made from, under whatever name.
  explicit Output(const std::string& file, const std::vector<std::string>& inputs = {});

  void write(std::string_view text);
  /// Everything is written. Without it a file does not appear.
  void finish();

 private:
  std::optional<AtomicFile> file_;
};

/// Writes records as JSON lines.
class OutputSink : public RecordSink {
 public:
  explicit OutputSink(Output& output) : output_(output) {}
  void emit(const Record& record) override;

 private:
  Output& output_;
  std::string line_;
};

}  // namespace qkvlab

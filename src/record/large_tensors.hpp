#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/sink.hpp"

namespace qkvlab {

/// A tensor of more numbers than this is too large for a line.
constexpr size_t kMaxNumbersOfALine = 65'536;

/// The safetensors file that belongs to a file of records: "a.safetensors" to "a.jsonl", and to a
/// file of another name that name with ".safetensors" behind it.
std::string large_tensors_file(const std::string& records_file);

/// Sends records on, but of a tensor that is too large for a line only where it is: in a
/// safetensors file under "<phase>/<name>", its run as "run" in the file's metadata.
class LargeTensors : public RecordSink {
 public:
  /// `file`, whose last part the records name, must be UTF-8: throws UserError where it is not.
  LargeTensors(std::string file, RecordSink& next);

  void emit(const Record& record) override;

  /// Writes the file, whole or not at all, where there was a large tensor; to be called before the
  /// records that name it appear. Throws UserError as AtomicFile does, and where such a file is
  /// there that is not of this kind: it was not named by the user, who may know nothing of it.
  void write() const;

 private:
  std::string file_;
  RecordSink& next_;
  std::vector<TensorRecord> tensors_;  // held until all are known: the file begins with their names
};

}  // namespace qkvlab

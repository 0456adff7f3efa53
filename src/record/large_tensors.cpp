#include "record/large_tensors.hpp"

#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/safetensors.hpp"
#include "base/utf8.hpp"

namespace qkvlab {

std::string large_tensors_file(const std::string& records_file) {
  std::filesystem::path file = records_file;
  if (file.extension() == ".jsonl") file.replace_extension();
  return file.string() + ".safetensors";
}

namespace {

/// Whether a file is one of large tensors.
bool names_a_run(const std::string& file) {
  try {
    return read_safetensors(file).metadata.count("run") > 0;
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace

LargeTensors::LargeTensors(std::string file, RecordSink& next)
    : file_(std::move(file)), next_(next) {
  if (first_invalid_utf8(file_)) {
    throw UserError(file_ + ": its name must be UTF-8, as the records that name it are");
  }
}

void LargeTensors::emit(const Record& record) {
  const auto* tensor = std::get_if<TensorRecord>(&record);
  if (tensor == nullptr || tensor->values.size() <= kMaxNumbersOfALine) return next_.emit(record);
  tensors_.push_back(*tensor);
  TensorRecord line = {tensor->run, tensor->phase, tensor->name, tensor->shape};
  line.file = std::filesystem::path(file_).filename().string();
  next_.emit(line);
}

void LargeTensors::write() const {
  if (tensors_.empty()) return;
  std::error_code ignored;
  if (std::filesystem::exists(file_, ignored) && !names_a_run(file_)) {
    throw UserError(file_ +
                    ": is there, and not written by qkvlab: the large tensors would replace it; "
                    "choose another name for the records, or move it away");
  }
  std::vector<TensorView> views;
  for (const TensorRecord& tensor : tensors_) {
    const std::string_view bytes(reinterpret_cast<const char*>(tensor.values.data()),
                                 tensor.values.size() * sizeof(float));
    views.push_back({tensor.phase + "/" + tensor.name, DataType::kFloat32, tensor.shape, bytes});
  }
  write_safetensors(file_, views, {{"run", tensors_.front().run}});
}

}  // namespace qkvlab

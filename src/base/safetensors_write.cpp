#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/number_text.hpp"
#include "base/safetensors_format.hpp"

namespace qkvlab {

namespace {

constexpr size_t kAlignment = 8;  // of the data within the file

std::string length_field(uint64_t length) {
  std::string field;
  for (size_t i = 0; i < kSafetensorsLengthBytes; ++i) {
    field += static_cast<char>(length >> (8 * i) & 0xFF);
  }
  return field;
}

void append_key(std::string& header, std::string_view key) {
  if (header.back() != '{') header += ',';
  append_json_string(header, key);
  header += ':';
}

void append_integers(std::string& header, const std::vector<int64_t>& values) {
  header += '[';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) header += ',';
    append_number(header, values[i]);
  }
  header += ']';
}

std::string header_of(const std::vector<const TensorView*>& tensors,
                      const SafetensorsMetadata& metadata) {
  std::string header = "{";
  if (!metadata.empty()) {
    append_key(header, kSafetensorsMetadataKey);
    header += '{';
    for (const auto& [key, text] : metadata) {
      append_key(header, key);
      append_json_string(header, text);
    }
    header += '}';
  }
  int64_t begin = 0;
  for (const TensorView* tensor : tensors) {
    const int64_t end = begin + static_cast<int64_t>(tensor->bytes.size());
    append_key(header, tensor->name);
    header += std::string(R"({"dtype":")") + stored_type(tensor->type).name + R"(","shape":)";
    append_integers(header, tensor->shape);
    header += R"(,"data_offsets":)";
    append_integers(header, {begin, end});
    header += '}';
    begin = end;
  }
  header += '}';
  header.resize((header.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  return header;
}

}  // namespace

void write_safetensors(const std::string& path, const std::vector<TensorView>& tensors,
                       const SafetensorsMetadata& metadata) {
  std::vector<const TensorView*> ordered;
  std::set<std::string_view> names = {kSafetensorsMetadataKey};
  for (const TensorView& tensor : tensors) {
    require(names.insert(tensor.name).second, "stored tensors must have names of their own");
    require(stored_bytes(tensor.type, tensor.shape) == static_cast<int64_t>(tensor.bytes.size()),
            "a stored tensor must have as many bytes as its shape says");
    ordered.push_back(&tensor);
  }
  std::stable_sort(ordered.begin(), ordered.end(), [](const TensorView* a, const TensorView* b) {
    return stored_type(a->type).bytes > stored_type(b->type).bytes;
  });
  const std::string header = header_of(ordered, metadata);
  require(header.size() <= kMaxSafetensorsHeaderBytes,
          "a safetensors header must not exceed 100 MB");
  AtomicFile file(path);
  file.write(length_field(header.size()));
  file.write(header);
  for (const TensorView* tensor : ordered) file.write(tensor->bytes);
  file.commit();
}

}  // namespace qkvlab

// A safetensors file: what is read can be written and comes back the same.

#include "base/safetensors.hpp"

#include <algorithm>

#include "fuzz/fuzz.hpp"

namespace qkvlab::fuzz {
namespace {

void sort(SafetensorsFile& file) {
  std::sort(file.tensors.begin(), file.tensors.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
}

bool is_same(const SafetensorsFile& a, const SafetensorsFile& b) {
  return a.metadata == b.metadata &&
         std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(),
                    [](const StoredTensor& left, const StoredTensor& right) {
                      return left.name == right.name && left.type == right.type &&
                             left.shape == right.shape && left.bytes == right.bytes;
                    });
}

}  // namespace
}  // namespace qkvlab::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace qkvlab;
  const std::string path = fuzz::folder().write("input.safetensors", fuzz::text_of(bytes, size));
  auto file = fuzz::accepted([&] { return read_safetensors(path); });
  if (!file) return 0;
  size_t data = 0;
  std::vector<TensorView> views;
  for (const StoredTensor& tensor : file->tensors) {
    data += tensor.bytes.size();
    views.push_back({tensor.name, tensor.type, tensor.shape, tensor.bytes});
  }
  fuzz::must(data < size, "tensors must come from the file");
  const std::string copy = fuzz::folder().file("copy.safetensors");
  write_safetensors(copy, views, file->metadata);
  SafetensorsFile again = read_safetensors(copy);
  fuzz::sort(*file);
  fuzz::sort(again);
  fuzz::must(fuzz::is_same(*file, again), "tensors must read back as themselves");
  return 0;
}

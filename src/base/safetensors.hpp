#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace qkvlab {

/// The element types that qkvlab stores; the format's names are F32, F64, I64, U8 and BOOL.
enum class DataType { kFloat32, kFloat64, kInt64, kUint8, kBool };

/// A tensor of a safetensors file. `bytes` are its elements in row-major order, little-endian.
struct StoredTensor {
  std::string name;
  DataType type = DataType::kFloat32;
  std::vector<int64_t> shape;  // empty for a scalar
  std::string bytes;
};

/// A tensor to be written, whose bytes belong to someone else.
struct TensorView {
  std::string name;
  DataType type = DataType::kFloat32;
  std::vector<int64_t> shape;
  std::string_view bytes;
};

/// The format's optional table of texts, by key.
using SafetensorsMetadata = std::map<std::string, std::string>;

struct SafetensorsFile {
  std::vector<StoredTensor> tensors;  // in the order of their bytes
  SafetensorsMetadata metadata;
};

/// Writes a file of the safetensors format: the length of its header in 8 bytes, little-endian; the
/// header, a JSON object; the tensors' bytes without gaps. As the format's own library does, it
/// fills the header with blanks so that the data start at a multiple of 8, and stores wider
/// elements first, so that every tensor is aligned for its type; otherwise the order is the given
/// one. The file appears whole or not at all (see AtomicFile, whose errors these are).
///
/// Names must differ and not be "__metadata__", all text be UTF-8, and `bytes` be as many as the
/// shape says (checked).
void write_safetensors(const std::string& path, const std::vector<TensorView>& tensors,
                       const SafetensorsMetadata& metadata = {});

/// Reads a safetensors file. Throws UserError naming `path`, and the tensor where there is one,
/// where it cannot be read or is not what the format allows: no length in the header is believed
/// before the file has been found to hold that much, and the tensors must fill the data exactly,
/// without gap or overlap. Element types other than those of DataType and keys that the format
/// does not know are refused too, and so is a boolean that is neither 0 nor 1.
SafetensorsFile read_safetensors(const std::string& path);

}  // namespace qkvlab

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <tuple>
#include <utility>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/safetensors_format.hpp"
#include "base/text_file.hpp"

namespace qkvlab {

namespace {

/// Reads all of `size` bytes from where the file stands.
void read_exactly(const Descriptor& file, const std::string& path, void* bytes, size_t size) {
  char* to = static_cast<char*>(bytes);
  while (size > 0) {
    const ssize_t count = read(file.get(), to, size);
    if (count == 0) throw UserError(path + ": became shorter while it was read");
    if (count < 0 && errno != EINTR) fail_reading(path, errno);
    if (count < 0) continue;
    to += count;
    size -= static_cast<size_t>(count);
  }
}

/// The header of a file of `file_bytes` bytes that stands at its start.
std::string read_header(const Descriptor& file, const std::string& path, int64_t file_bytes) {
  const auto bytes = static_cast<uint64_t>(file_bytes);
  if (bytes < kSafetensorsLengthBytes) {
    throw UserError(path + ": is not a safetensors file: must have at least 8 bytes, has " +
                    std::to_string(bytes));
  }
  std::array<unsigned char, kSafetensorsLengthBytes> field{};
  read_exactly(file, path, field.data(), field.size());
  uint64_t length = 0;
  for (size_t i = 0; i < kSafetensorsLengthBytes; ++i) length |= uint64_t{field[i]} << (8 * i);
  if (length > kMaxSafetensorsHeaderBytes) {
    throw UserError(path + ": is not a safetensors file: a header has at most " +
                    std::to_string(kMaxSafetensorsHeaderBytes) + " bytes, this one claims " +
                    std::to_string(length));
  }
  if (length > bytes - kSafetensorsLengthBytes) {
    throw UserError(path + ": is cut: its header claims " + std::to_string(length) +
                    " bytes, the file holds " + std::to_string(bytes - kSafetensorsLengthBytes) +
                    " after the header's length");
  }
  std::string header(length, '\0');
  read_exactly(file, path, header.data(), header.size());
  if (header.empty() || header.front() != '{') {
    throw UserError(path + ": is not a safetensors file: its header must start with '{'");
  }
  return header;
}

/// What the header says of a tensor.
struct Entry {
  std::string name;
  const JsonValue* offsets;  // for complaints
  DataType type;
  std::vector<int64_t> shape;
  int64_t begin, end;  // within the data
};

Entry read_entry(const std::string& name, const JsonValue& json, int64_t data_bytes) {
  std::vector<std::string> type_names;
  for (const StoredType& type : kStoredTypes) type_names.emplace_back(type.name);
  const std::string& type_name = json.at("dtype").one_of("dtype", type_names);
  const auto type = std::find(type_names.begin(), type_names.end(), type_name);
  Entry entry{name, &json.at("data_offsets"), kStoredTypes[type - type_names.begin()].type, {}, 0,
              0};

  const JsonValue& shape = json.at("shape");
  for (const JsonValue& size : shape.array()) entry.shape.push_back(size.integer(0));
  const std::optional<int64_t> bytes = stored_bytes(entry.type, entry.shape);
  if (!bytes) shape.fail("must not come to more than 9223372036854775807 bytes");

  const JsonValue::Array& offsets = entry.offsets->array();
  if (offsets.size() != 2) {
    entry.offsets->fail("must be [begin, end], got " + std::to_string(offsets.size()) +
                        " elements");
  }
  entry.begin = offsets[0].integer(0);
  entry.end = offsets[1].integer(entry.begin);
  if (entry.end > data_bytes) {
    entry.offsets->fail("must end within the data, got " + std::to_string(entry.end) +
                        "; the file holds " + std::to_string(data_bytes) + " bytes of data");
  }
  if (entry.end - entry.begin != *bytes) {
    entry.offsets->fail("must span the " + std::to_string(*bytes) +
                        " bytes that dtype and shape take, got " +
                        std::to_string(entry.end - entry.begin));
  }
  json.refuse_unread_keys();
  return entry;
}

/// Sorts the entries as their bytes lie, which must fill the data without gap or overlap.
void put_in_order(std::vector<Entry>& entries, const std::string& path, int64_t data_bytes) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  int64_t filled = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != filled) {
      entry.offsets->fail(std::string(entry.begin < filled ? "overlaps" : "leaves a gap after") +
                          " what lies before: must begin at " + std::to_string(filled) + ", got " +
                          std::to_string(entry.begin));
    }
    filled = entry.end;
  }
  if (filled != data_bytes) {
    throw UserError(path + ": holds " + std::to_string(data_bytes) +
                    " bytes of data, of which tensors take only " + std::to_string(filled));
  }
}

}  // namespace

SafetensorsFile read_safetensors(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (file.get() < 0) fail_reading(path, errno);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) fail_reading(path, errno);
  if (!S_ISREG(status.st_mode)) throw UserError(path + ": must be a regular file");

  const JsonValue header = parse_json(read_header(file, path, status.st_size), path);
  // Where the file stands, the data begin.
  const int64_t data_bytes = status.st_size - lseek(file.get(), 0, SEEK_CUR);
  SafetensorsFile result;
  std::vector<Entry> entries;
  for (const auto& [name, json] : header.members()) {
    if (name != kSafetensorsMetadataKey) {
      entries.push_back(read_entry(name, json, data_bytes));
      continue;
    }
    for (const auto& [key, text] : json.members()) result.metadata[key] = text.string();
  }
  put_in_order(entries, path, data_bytes);
  for (Entry& entry : entries) {
    std::string bytes(static_cast<size_t>(entry.end - entry.begin), '\0');
    read_exactly(file, path, bytes.data(), bytes.size());
    const auto is_boolean = [](char byte) { return byte == 0 || byte == 1; };
    if (entry.type == DataType::kBool && !std::all_of(bytes.begin(), bytes.end(), is_boolean)) {
      throw UserError(path + ": " + entry.name + ": a BOOL must be 0 or 1");
    }
    result.tensors.push_back({entry.name, entry.type, std::move(entry.shape), std::move(bytes)});
  }
  return result;
}

}  // namespace qkvlab

#include "base/nested_array.hpp"

#include <cstddef>
#include <string>

#include "base/error.hpp"
#include "base/number_text.hpp"

namespace qkvlab {

namespace {

constexpr size_t kPieceBytes = size_t{1} << 16;

template <typename T>
class NestedWriter {
 public:
  NestedWriter(const std::vector<T>& values, const std::vector<int64_t>& shape,
               const TextSink& write)
      : values_(values), shape_(shape), write_(write) {
    size_t count = 1;
    for (const int64_t length : shape) {
      require(length >= 0, "a shape must not be negative");
      count *= static_cast<size_t>(length);
    }
    require(values.size() == count, "a tensor must have as many values as its shape says");
  }

  void write() {
    write_below(0);
    write_(piece_);
  }

 private:
  /// What lies below the first `level` dimensions.
  void write_below(size_t level) {
    if (level == shape_.size()) {
      append_number(piece_, values_[at_++]);
      if (piece_.size() >= kPieceBytes) {
        write_(piece_);
        piece_.clear();
      }
      return;
    }
    piece_ += '[';
    for (int64_t i = 0; i < shape_[level]; ++i) {
      if (i > 0) piece_ += ',';
      write_below(level + 1);
    }
    piece_ += ']';
  }

  const std::vector<T>& values_;
  const std::vector<int64_t>& shape_;
  const TextSink& write_;
  std::string piece_;
  size_t at_ = 0;  // the next value
};

}  // namespace

void write_nested_array(const std::vector<float>& values, const std::vector<int64_t>& shape,
                        const TextSink& write) {
  NestedWriter<float>(values, shape, write).write();
}

void write_nested_array(const std::vector<double>& values, const std::vector<int64_t>& shape,
                        const TextSink& write) {
  NestedWriter<double>(values, shape, write).write();
}

}  // namespace qkvlab

// Matrices written by hand: what is accepted can be multiplied.

#include "config/attend_input.hpp"

#include "fuzz/fuzz.hpp"

namespace qkvlab::fuzz {
namespace {

void must_be(const HandMatrix& matrix, int64_t rows, int64_t columns) {
  must(matrix.rows == rows && matrix.columns == columns, "shapes must fit each other");
  must(rows > 0 && columns > 0, "and not be empty");
  must(static_cast<int64_t>(matrix.values.size()) == rows * columns, "all numbers must be there");
}

void must_fit(const AttendInput& input) {
  const Limits limits;
  must(input.queries() <= limits.tokens_per_sequence, "the limits hold for queries");
  must(input.keys() <= limits.tokens_per_sequence, "and keys");
  if (input.x) {
    must(!input.q && !input.k && !input.v, "x and q, k, v exclude each other");
    must_be(*input.x, input.queries(), input.x->columns);
    must_be(*input.w_q, input.w_q->rows, input.x->columns);
    must_be(*input.w_k, input.w_q->rows, input.x->columns);
    must_be(*input.w_v, input.w_v->rows, input.x->columns);
  } else {
    must_be(*input.q, input.queries(), input.q->columns);
    must_be(*input.k, input.keys(), input.q->columns);
    must_be(*input.v, input.keys(), input.v->columns);
  }
  const auto keys = static_cast<size_t>(input.keys());
  must(input.key_valid.empty() || input.key_valid.size() == keys, "one flag per key");
  must(input.tokens.empty() || input.tokens.size() == keys, "one token per key");
}

}  // namespace
}  // namespace qkvlab::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace qkvlab;
  const std::string file = fuzz::folder().write("attend.json", fuzz::text_of(bytes, size));
  const auto input = fuzz::accepted([&] { return read_attend_input(file); });
  if (input) fuzz::must_fit(*input);
  return 0;
}

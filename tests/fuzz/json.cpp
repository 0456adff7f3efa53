// JSON: what is read comes back the same from its own text, and every value knows where it stands.

#include "base/json.hpp"

#include "base/json_difference.hpp"
#include "base/json_text.hpp"
#include "fuzz/fuzz.hpp"

namespace qkvlab::fuzz {
namespace {

/// Asks a value, and all below it, everything that may be asked of it.
void ask(const JsonValue& value, std::string_view text) {
  must(value.line() >= 1, "lines count from 1");
  accepts([&] { value.integer(); });
  accepts([&] { value.number(); });
  accepts([&] { value.float32(); });
  accepts([&] { value.string(); });
  accepts([&] { value.fail("a complaint"); });
  if (value.kind() != JsonValue::Kind::kArray && value.kind() != JsonValue::Kind::kObject) return;
  const auto [begin, end] = value.span();
  const std::string own = json_text(value);
  must(json_text(parse_json(text.substr(begin, end - begin), "part")) == own,
       "the text of an array or object must read as itself");
  if (value.kind() == JsonValue::Kind::kArray) {
    for (const JsonValue& element : value.array()) ask(element, text);
    return;
  }
  accepts([&] { value.refuse_unread_keys(); });
  for (const auto& [key, member] : value.members()) {
    must(value.find(key) == &member, "a member must be found by its key");
    ask(member, text);
  }
  must(accepts([&] { value.refuse_unread_keys(); }), "all members were asked for");
}

}  // namespace
}  // namespace qkvlab::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace qkvlab;
  const std::string_view text = fuzz::text_of(bytes, size);
  const auto value = fuzz::accepted([&] { return parse_json(text, "input"); });
  if (!value) return 0;
  const std::string written = json_text(*value);
  const JsonValue again = parse_json(written, "written");
  fuzz::must(json_text(again) == written, "what was written must read back");
  fuzz::must(!first_difference(*value, again, "there", "here"), "and be the same");
  fuzz::ask(*value, text);
  return 0;
}

#include "config/document_place.hpp"

namespace qkvlab {

void fail_at_path(const JsonValue& document, const std::string& path,
                  const std::string& complaint) {
  const JsonValue* value = &document;
  std::string rest = path;
  while (!rest.empty() && value->kind() == JsonValue::Kind::kObject) {
    const size_t dot = rest.find('.');
    const JsonValue* member = value->find(rest.substr(0, dot));
    if (member == nullptr) break;
    value = member;
    rest = dot == std::string::npos ? "" : rest.substr(dot + 1);
  }
  if (rest.empty()) value->fail(complaint);
  value->fail_below(rest, complaint);
}

}  // namespace qkvlab

#include "config/projection_plan.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/spelling.hpp"

namespace qkvlab {

namespace {

/// Follows a reference to the projection that it borrows; references never point at references.
Source resolve(const ProjectionPlan& plan, Source source, Source self) {
  switch (source) {
    case Source::kQuery:
      return plan.query == Source::kOwn ? Source::kQuery : plan.query;
    case Source::kKey:
      return plan.key == Source::kOwn ? Source::kKey : plan.key;
    case Source::kValue:
      return plan.value == Source::kOwn ? Source::kValue : plan.value;
    case Source::kOwn:
      return self;
    case Source::kIdentity:
    case Source::kZero:
      break;
  }
  return source;
}

}  // namespace

std::vector<std::string> ProjectionPlan::learned() const {
  std::vector<std::string> names;
  if (!attends) return names;
  if (query == Source::kOwn) names.emplace_back("q_proj");
  if (key == Source::kOwn) names.emplace_back("k_proj");
  if (value == Source::kOwn) names.emplace_back("v_proj");
  return names;
}

bool ProjectionPlan::symmetric_scores() const {
  return attends && resolve(*this, query, Source::kQuery) == resolve(*this, key, Source::kKey);
}

const std::vector<ProjectionPlan>& attention_modes() {
  static const std::vector<ProjectionPlan> modes = {
      // clang-format off
      // mode           attends  query              key                value
      {"full",          true,    Source::kOwn,      Source::kOwn,      Source::kOwn},
      {"identity_qkv",  true,    Source::kIdentity, Source::kIdentity, Source::kIdentity},
      {"identity_qk",   true,    Source::kIdentity, Source::kIdentity, Source::kOwn},
      {"identity_v",    true,    Source::kOwn,      Source::kOwn,      Source::kIdentity},
      {"uniform",       true,    Source::kZero,     Source::kZero,     Source::kOwn},
      {"shared_qk",     true,    Source::kOwn,      Source::kQuery,    Source::kOwn},
      {"shared_kv",     true,    Source::kOwn,      Source::kOwn,      Source::kKey},
      {"shared_qkv",    true,    Source::kOwn,      Source::kQuery,    Source::kQuery},
      {"none",          false,   Source::kZero,     Source::kZero,     Source::kZero},
      // clang-format on
  };
  return modes;
}

std::vector<std::string> attention_mode_names() {
  std::vector<std::string> names;
  for (const ProjectionPlan& plan : attention_modes()) names.push_back(plan.mode);
  return names;
}

const ProjectionPlan& attention_mode(const std::string& mode) {
  const auto& modes = attention_modes();
  const auto found = std::find_if(modes.begin(), modes.end(),
                                  [&](const ProjectionPlan& plan) { return plan.mode == mode; });
  if (found == modes.end()) throw UserError(unknown_name("mode", mode, attention_mode_names()));
  return *found;
}

}  // namespace qkvlab

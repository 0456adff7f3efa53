#include "config/projection_plan.hpp"

#include <algorithm>
#include <stdexcept>

#include "base/error.hpp"
#include "base/spelling.hpp"

namespace qkvlab {

namespace {

constexpr std::array<Source, 3> kThree = {Source::kQuery, Source::kKey, Source::kValue};

Source source_of(const ProjectionPlan& plan, Source one) {
  switch (one) {
    case Source::kQuery:
      return plan.query;
    case Source::kKey:
      return plan.key;
    default:
      return plan.value;
  }
}

}  // namespace

bool is_reference(Source source) {
  return std::find(kThree.begin(), kThree.end(), source) != kThree.end();
}

std::vector<std::string> ProjectionPlan::learned() const {
  std::vector<std::string> names;
  for (const Source one : kThree) {
    if (attends && source_of(*this, one) == Source::kOwn) names.push_back(projection_name(one));
  }
  return names;
}

std::array<Source, 3> ProjectionPlan::resolved() const {
  std::array<Source, 3> ends{};
  for (size_t i = 0; i < ends.size(); ++i) {
    Source lender = kThree[i];
    Source source = source_of(*this, lender);
    if (is_reference(source)) {
      lender = source;
      source = source_of(*this, lender);
      if (is_reference(source)) throw std::logic_error("a projection borrows from a borrower");
    }
    ends[i] = source == Source::kOwn ? lender : source;
  }
  return ends;
}

bool ProjectionPlan::symmetric_scores() const { return attends && resolved()[0] == resolved()[1]; }

std::string projection_name(Source source) {
  switch (source) {
    case Source::kQuery:
      return "q_proj";
    case Source::kKey:
      return "k_proj";
    case Source::kValue:
      return "v_proj";
    default:
      throw std::logic_error("only query, key and value have projections");
  }
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

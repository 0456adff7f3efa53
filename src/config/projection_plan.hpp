#pragma once

#include <array>
#include <string>
#include <vector>

namespace qkvlab {

/// Where one of query, key and value comes from.
enum class Source {
  kOwn,       // a learned projection of the input
  kIdentity,  // the input itself (with several heads: the input split into heads)
  kZero,      // zeros
  kQuery,     // whatever the query is
  kKey,       // whatever the key is
  kValue,     // whatever the value is
};

/// Whether the source is another one of the three: kQuery, kKey or kValue.
bool is_reference(Source source);

/// Where query, key and value come from. What a plan does not learn does not exist as a parameter.
struct ProjectionPlan {
  std::string mode;     // the name under which it stands in attention_modes()
  bool attends = true;  // false: no attention sublayer at all (mode `none`)
  Source query = Source::kOwn;
  Source key = Source::kOwn;
  Source value = Source::kOwn;

  /// The learned projections among "q_proj", "k_proj", "v_proj", in that order.
  std::vector<std::string> learned() const;

  /// What query, key and value are in the end: kIdentity, kZero, or kQuery, kKey or kValue for the
  /// learned projection of that name. A reference to a reference is a mistake of the program
  /// (std::logic_error).
  std::array<Source, 3> resolved() const;

  /// Whether Q Kᵀ is symmetric whatever the weights are: query and key are the same tensor.
  bool symmetric_scores() const;
};

/// "q_proj", "k_proj" or "v_proj", for kQuery, kKey and kValue.
std::string projection_name(Source source);

/// The registry of attention modes, in the order in which they are shown.
const std::vector<ProjectionPlan>& attention_modes();

/// The names of attention_modes().
std::vector<std::string> attention_mode_names();

/// The plan of a mode. Throws UserError with the allowed names and the nearest spelling.
const ProjectionPlan& attention_mode(const std::string& mode);

}  // namespace qkvlab

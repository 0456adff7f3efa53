#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace qkvlab {

/// What a field of a config may hold, beyond its type.
struct Any {};

/// Integers from `low` to `high`, both included.
struct IntegerRange {
  int64_t low = INT64_MIN;
  int64_t high = INT64_MAX;
};

constexpr IntegerRange at_least(int64_t low) { return {low, INT64_MAX}; }
constexpr IntegerRange from_to(int64_t low, int64_t high) { return {low, high}; }

/// Numbers from `low` to `high`, each included unless it is open; infinity is no bound.
struct NumberRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  bool high_open = false;
};

constexpr NumberRange kPositive = {0, std::numeric_limits<double>::infinity(), true, false};
constexpr NumberRange kNotNegative = {0, std::numeric_limits<double>::infinity(), false, false};
/// Of numbers that are computed with in float32, which ends at 3.4e38: room for what they are
/// multiplied with.
constexpr NumberRange kPositiveFloat32 = {0, 1e30, true, false};
constexpr NumberRange kNotNegativeFloat32 = {0, 1e30, false, false};
constexpr NumberRange kFromZeroBelowOne = {0, 1, false, true};
constexpr NumberRange kBetweenZeroAndOne = {0, 1, true, true};

/// What must be written where a number of the range is wanted: "a number of at least 0 and below
/// 1".
std::string number_wanted(const NumberRange& range);

/// The path of a file that is read: what counts is its content, not where it lies.
struct InputFile {
  bool required = false;
};

/// Random seeds, which may be written as ranges.
struct Seeds {};

/// Whether a field takes part in what a run computes, and so in the run's identity.
enum class Effect { kResults, kNone };

/// Each struct of a config declares its fields here once; reading, writing, a run's identity, the
/// JSON Schema and the table of fields all visit them. A specialisation has
///
///   template <typename C, typename Visitor>
///   static void visit(C& config, Visitor& visitor);
///
/// (C is the struct, const where it is only looked at), which calls, in the order in which the
/// fields are written,
///
///   visitor.field(key, member, doc, rule = Any{}, effect = Effect::kResults)
///   visitor.plan(member)  the attention plan, whose keys are `mode` and `plan`
///
/// A member may be a boolean, an integer, a number, a string, an enum (config/enum_names.hpp), a
/// list of integers, a struct with fields of its own, a variant of such structs (its key `kind`
/// says which), or an optional of these, which may be null; or one of the lists of an ablation,
/// whose form is their own (config/ablation_reader.hpp): variants, axes of a grid, integers that
/// are Seeds. Defaults are the member initialisers.
template <typename Config>
struct ConfigFields;

}  // namespace qkvlab

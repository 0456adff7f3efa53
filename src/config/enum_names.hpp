#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "config/model_config.hpp"
#include "config/projection_plan.hpp"
#include "config/random_config.hpp"
#include "config/task_config.hpp"
#include "config/training_config.hpp"

namespace qkvlab {

/// How configs spell the values of an enum, in the order in which they are shown.
template <typename Enum>
struct EnumNames;

template <typename Enum, size_t count>
using NameTable = std::array<std::pair<Enum, const char*>, count>;

template <>
struct EnumNames<TextUnit> {
  static constexpr NameTable<TextUnit, 3> kTable = {{
      {TextUnit::kCharacter, "character"},
      {TextUnit::kByte, "byte"},
      {TextUnit::kWord, "word"},
  }};
};

template <>
struct EnumNames<Unseen> {
  static constexpr NameTable<Unseen, 2> kTable = {{
      {Unseen::kRefuse, "refuse"},
      {Unseen::kUnknownToken, "unknown_token"},
  }};
};

template <>
struct EnumNames<PairSplit> {
  static constexpr NameTable<PairSplit, 2> kTable = {{
      {PairSplit::kUnordered, "unordered"},
      {PairSplit::kOrdered, "ordered"},
  }};
};

template <>
struct EnumNames<SequenceRule> {
  static constexpr NameTable<SequenceRule, 5> kTable = {{
      {SequenceRule::kCopy, "copy"},
      {SequenceRule::kReverse, "reverse"},
      {SequenceRule::kSort, "sort"},
      {SequenceRule::kSwapHalves, "swap_halves"},
      {SequenceRule::kSubtract, "subtract"},
  }};
};

template <>
struct EnumNames<SequenceLayout> {
  static constexpr NameTable<SequenceLayout, 2> kTable = {{
      {SequenceLayout::kInPlace, "in_place"},
      {SequenceLayout::kContinued, "continued"},
  }};
};

template <>
struct EnumNames<CoreferenceLanguage> {
  static constexpr NameTable<CoreferenceLanguage, 3> kTable = {{
      {CoreferenceLanguage::kChinese, "zh"},
      {CoreferenceLanguage::kEnglish, "en"},
      {CoreferenceLanguage::kBoth, "both"},
  }};
};

template <>
struct EnumNames<Source> {
  static constexpr NameTable<Source, 6> kTable = {{
      {Source::kOwn, "own"},
      {Source::kIdentity, "identity"},
      {Source::kZero, "zero"},
      {Source::kQuery, "q"},
      {Source::kKey, "k"},
      {Source::kValue, "v"},
  }};
};

template <>
struct EnumNames<Activation> {
  static constexpr NameTable<Activation, 2> kTable = {{
      {Activation::kGelu, "gelu"},
      {Activation::kRelu, "relu"},
  }};
};

template <>
struct EnumNames<NormPlace> {
  static constexpr NameTable<NormPlace, 2> kTable = {{
      {NormPlace::kPre, "pre"},
      {NormPlace::kPost, "post"},
  }};
};

template <>
struct EnumNames<PositionKind> {
  static constexpr NameTable<PositionKind, 2> kTable = {{
      {PositionKind::kLearned, "learned"},
      {PositionKind::kNone, "none"},
  }};
};

template <>
struct EnumNames<EmbeddingKind> {
  static constexpr NameTable<EmbeddingKind, 2> kTable = {{
      {EmbeddingKind::kLookup, "lookup"},
      {EmbeddingKind::kOneHot, "one_hot"},
  }};
};

template <>
struct EnumNames<InitScheme> {
  static constexpr NameTable<InitScheme, 2> kTable = {{
      {InitScheme::kTorch, "torch"},
      {InitScheme::kGpt2, "gpt2"},
  }};
};

template <>
struct EnumNames<OutputKind> {
  static constexpr NameTable<OutputKind, 4> kTable = {{
      {OutputKind::kAuto, "auto"},
      {OutputKind::kToken, "token"},
      {OutputKind::kLast, "last"},
      {OutputKind::kMean, "mean"},
  }};
};

template <>
struct EnumNames<Decay> {
  static constexpr NameTable<Decay, 2> kTable = {{
      {Decay::kAll, "all"},
      {Decay::kMatrices, "matrices"},
  }};
};

template <>
struct EnumNames<RandomScheme> {
  static constexpr NameTable<RandomScheme, 2> kTable = {{
      {RandomScheme::kKeyed, "keyed"},
      {RandomScheme::kTorchStream, "torch_stream"},
  }};
};

template <typename Enum>
std::vector<std::string> enum_names() {
  std::vector<std::string> names;
  for (const auto& entry : EnumNames<Enum>::kTable) names.emplace_back(entry.second);
  return names;
}

template <typename Enum>
std::string enum_name(Enum value) {
  for (const auto& entry : EnumNames<Enum>::kTable) {
    if (entry.first == value) return entry.second;
  }
  throw std::logic_error("an enum's value without a name");
}

/// The value of a name that is one of enum_names (checked).
template <typename Enum>
Enum enum_value(const std::string& name) {
  for (const auto& entry : EnumNames<Enum>::kTable) {
    if (entry.second == name) return entry.first;
  }
  throw std::logic_error("a name that no value of an enum has");
}

}  // namespace qkvlab

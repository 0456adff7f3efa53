#include "config/held_out.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/number_text.hpp"
#include "config/share.hpp"

namespace qkvlab {

namespace {

/// symbols^length, nothing where that is more than kMostListed.
std::optional<int64_t> question_count(int64_t symbols, int64_t length) {
  int64_t count = 1;
  for (int64_t i = 0; i < length && symbols > 1; ++i) {
    if (count > HeldOutQuestions::kMostListed / symbols) return std::nullopt;
    count *= symbols;
  }
  return count;
}

uint64_t question_hash(const int64_t* question, int64_t length) {
  const auto bytes = static_cast<size_t>(length) * sizeof(int64_t);
  return xxh3_64(std::string_view(reinterpret_cast<const char*>(question), bytes));
}

}  // namespace

HeldOutQuestions::HeldOutQuestions(int64_t symbols, int64_t length, double share, bool unordered)
    : symbols_(symbols), length_(length) {
  if (const auto count = question_count(symbols, length)) {
    list(*count, share, unordered);
    return;
  }
  require(!unordered, "only questions that are listed are compared in their order");
  constexpr double kLeast = 0.001;
  if (!(share >= kLeast && share <= 1.0 - kLeast)) {
    throw UserError("task.held_out: must be from 0.001 to 0.999 of so many questions, got " +
                    significant(share, 6));
  }
  threshold_ = static_cast<uint64_t>(std::ldexp(share, 64));
}

void HeldOutQuestions::list(int64_t count, double share, bool unordered) {
  struct Ranked {
    uint64_t hash;
    int64_t number;
  };
  std::vector<Ranked> ranked;
  ranked.reserve(static_cast<size_t>(count));
  std::vector<int64_t> question(static_cast<size_t>(length_));
  for (int64_t number = 0; number < count; ++number) {
    write(number, question.data());
    if (unordered && !std::is_sorted(question.begin(), question.end())) continue;
    ranked.push_back({question_hash(question.data(), length_), number});
  }
  const auto different = static_cast<int64_t>(ranked.size());
  const int64_t chosen = count_of_share(share, different);
  if (chosen < 1 || chosen >= different) {
    throw UserError("task.held_out: must leave at least one of the " + std::to_string(different) +
                    " questions to the test and one to training, got " + significant(share, 6));
  }
  std::nth_element(ranked.begin(), ranked.begin() + chosen, ranked.end(),
                   [](const Ranked& a, const Ranked& b) {
                     return a.hash != b.hash ? a.hash < b.hash : a.number < b.number;
                   });
  held_out_.resize(static_cast<size_t>(count));
  for (int64_t i = 0; i < chosen; ++i) held_out_[ranked[i].number] = true;
  for (int64_t number = 0; unordered && number < count; ++number) {
    write(number, question.data());
    std::sort(question.begin(), question.end());
    held_out_[number] = holds(question.data());
  }
}

bool HeldOutQuestions::holds(const int64_t* question) const {
  if (!listed()) return question_hash(question, length_) < threshold_;
  int64_t number = 0;
  for (int64_t i = 0; i < length_; ++i) number = number * symbols_ + question[i];
  return held_out_[number];
}

int64_t HeldOutQuestions::count(bool held_out) const {
  return std::count(held_out_.begin(), held_out_.end(), held_out);
}

std::vector<int64_t> HeldOutQuestions::numbers(bool held_out) const {
  std::vector<int64_t> numbers;
  for (size_t number = 0; number < held_out_.size(); ++number) {
    if (held_out_[number] == held_out) numbers.push_back(static_cast<int64_t>(number));
  }
  return numbers;
}

void HeldOutQuestions::write(int64_t number, int64_t* question) const {
  for (int64_t i = length_ - 1; i >= 0; --i) {
    question[i] = number % symbols_;
    number /= symbols_;
  }
}

HeldOutQuestions held_out_pairs(const ModularAdditionTask& task) {
  constexpr int64_t kNumbers = 2;
  return {task.modulus, kNumbers, task.held_out, task.pairs == PairSplit::kUnordered};
}

}  // namespace qkvlab

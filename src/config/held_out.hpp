#pragma once

#include <cstdint>
#include <vector>

#include "config/task_config.hpp"

namespace qkvlab {

/// Which of all questions (sequences of `length` symbols, 0 to `symbols` - 1) only the test asks.
/// They are chosen by the XXH3-64 of the question alone (its symbols as int64, in memory order), so
/// they are the same for every seed.
class HeldOutQuestions {
 public:
  /// As many questions as are listed one by one.
  static constexpr int64_t kMostListed = int64_t{1} << 20;

  /// Of at most kMostListed questions exactly floor(share × count) are held out, those with the
  /// smallest hash; of more, those whose hash is below that share of all hashes. Throws UserError,
  /// naming the field task.held_out, where that leaves one side without questions (or, where
  /// they are not listed, with less than a thousandth of them: they are found by trying).
  ///
  /// With `unordered`, for listed questions alone, those that have the same symbols in another
  /// order are one: they are counted once, chosen by the hash of the one with rising symbols, and
  /// held out together.
  HeldOutQuestions(int64_t symbols, int64_t length, double share, bool unordered = false);

  bool holds(const int64_t* question) const;

  /// How many questions are held out, or are not, where listed() is true.
  int64_t count(bool held_out) const;

  bool listed() const { return !held_out_.empty(); }

  /// Where listed() is true: the numbers of all questions that are held out, or of all that are
  /// not, ascending. A question's number has its symbols as digits, the first the most significant.
  std::vector<int64_t> numbers(bool held_out) const;

  /// Writes the `length` symbols of the question with this number.
  void write(int64_t number, int64_t* question) const;

 private:
  void list(int64_t count, double share, bool unordered);

  int64_t symbols_;
  int64_t length_;
  std::vector<bool> held_out_;  // by number; empty where questions are not listed
  uint64_t threshold_ = 0;      // where they are not: hashes below it are held out
};

/// The pairs (a, b) of a task that only the test asks.
HeldOutQuestions held_out_pairs(const ModularAdditionTask& task);

}  // namespace qkvlab

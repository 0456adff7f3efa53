#include "config/held_out.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/hash.hpp"
#include "config/share.hpp"
#include "support/user_error.hpp"

namespace qkvlab {
namespace {

TEST(CountOfShare, IsTheWholePartOfTheDecimalThatWasWritten) {
  EXPECT_EQ(count_of_share(0.25, 729), 182);
  EXPECT_EQ(count_of_share(0.29, 100), 29);     // in doubles 28.999999999999996
  EXPECT_EQ(count_of_share(1.0 - 0.9, 10), 1);  // 0.9999999999999998
  EXPECT_EQ(count_of_share(1.0 - 0.1, 1115394), 1003854);
  EXPECT_EQ(count_of_share(0.5, 3), 1);
  EXPECT_EQ(count_of_share(0.0, 3), 0);
}

TEST(HeldOutQuestions, ExactlyTheShareIsHeldOutAndNothingIsOnBothSides) {
  const HeldOutQuestions questions(3, 6, 0.25);
  ASSERT_TRUE(questions.listed());
  std::vector<int64_t> all = questions.numbers(true);
  EXPECT_EQ(all.size(), 182u);
  const std::vector<int64_t> others = questions.numbers(false);
  all.insert(all.end(), others.begin(), others.end());
  EXPECT_EQ(std::set<int64_t>(all.begin(), all.end()).size(), 729u);
  EXPECT_EQ(all.size(), 729u);
}

TEST(HeldOutQuestions, AreThoseWithTheSmallestHash) {
  const HeldOutQuestions questions(3, 2, 0.4);  // 3 of 9
  std::vector<std::pair<uint64_t, int64_t>> ranked;
  for (int64_t first = 0; first < 3; ++first) {
    for (int64_t second = 0; second < 3; ++second) {
      std::string bytes(16, '\0');
      bytes[0] = static_cast<char>(first);
      bytes[8] = static_cast<char>(second);
      ranked.emplace_back(xxh3_64(bytes), 3 * first + second);
    }
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<int64_t> expected = {ranked[0].second, ranked[1].second, ranked[2].second};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(questions.numbers(true), expected);
}

TEST(HeldOutQuestions, AQuestionAndItsNumberAgree) {
  const HeldOutQuestions questions(3, 4, 0.5);
  int64_t question[4];
  questions.write(2 * 27 + 0 * 9 + 1 * 3 + 2, question);
  EXPECT_EQ(std::vector<int64_t>(question, question + 4), (std::vector<int64_t>{2, 0, 1, 2}));
  for (const bool held_out : {false, true}) {
    for (const int64_t number : questions.numbers(held_out)) {
      questions.write(number, question);
      EXPECT_EQ(questions.holds(question), held_out) << number;
    }
  }
}

TEST(HeldOutQuestions, OfVeryManyAboutTheShareIsHeldOut) {
  const HeldOutQuestions questions(10, 16, 0.2);
  EXPECT_FALSE(questions.listed());
  constexpr int kQuestions = 10000;
  int held_out = 0;
  for (int64_t i = 0; i < kQuestions; ++i) {
    int64_t question[16] = {i % 10, i / 10 % 10, i / 100 % 10, i / 1000};
    held_out += questions.holds(question) ? 1 : 0;
  }
  EXPECT_NEAR(held_out, 2000, 160);  // four standard deviations of a binomial distribution
}

TEST(HeldOutQuestions, AreListedUpToTwoToTheTwentieth) {
  EXPECT_TRUE(HeldOutQuestions(1024, 2, 0.5).listed());
  EXPECT_FALSE(HeldOutQuestions(1025, 2, 0.5).listed());
}

TEST(HeldOutQuestions, ASideWithoutQuestionsIsRefused) {
  EXPECT_EQ(user_error([] { HeldOutQuestions(2, 2, 0.2); }),
            "task.held_out: must leave at least one of the 4 questions to the test and one to "
            "training, got 0.2");
  EXPECT_NE(user_error([] { HeldOutQuestions(2, 2, 1.0); }), "");
  EXPECT_NE(user_error([] { HeldOutQuestions(1, 100, 0.5); }), "");
  EXPECT_EQ(user_error([] { HeldOutQuestions(10, 16, 1e-6); }),
            "task.held_out: must be from 0.001 to 0.999 of so many questions, got 1e-06");
}

}  // namespace
}  // namespace qkvlab

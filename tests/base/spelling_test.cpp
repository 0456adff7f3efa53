#include "base/spelling.hpp"

#include <gtest/gtest.h>

namespace qkvlab {
namespace {

TEST(NearestSpelling, OneEditOfEachKind) {
  const std::vector<std::string> modes = {"full", "uniform", "shared_qk"};
  EXPECT_EQ(nearest_spelling("unifrm", modes), "uniform");    // left out
  EXPECT_EQ(nearest_spelling("uniiform", modes), "uniform");  // too many
  EXPECT_EQ(nearest_spelling("unixorm", modes), "uniform");   // another
  EXPECT_EQ(nearest_spelling("unifrom", modes), "uniform");   // swapped
  EXPECT_EQ(nearest_spelling("Uniform", modes), "uniform");
}

TEST(NearestSpelling, SwappingNeighboursCountsOnce) {
  // Two letters: at most one edit. A swap is one, two replacements would be two.
  EXPECT_EQ(nearest_spelling("rl", {"lr"}), "lr");
}

TEST(NearestSpelling, GivesUpBeyondAThirdOfTheLongerWord) {
  EXPECT_EQ(nearest_spelling("abcdxy", {"abcdef"}), "abcdef");      // 2 of 6
  EXPECT_EQ(nearest_spelling("abcxyz", {"abcdef"}), std::nullopt);  // 3 of 6
  EXPECT_EQ(nearest_spelling("abcdxyz", {"abcdefg"}), "abcdefg");   // 3 of 7: rounded up
  EXPECT_EQ(nearest_spelling("anything", {}), std::nullopt);
}

TEST(NearestSpelling, CaseDoesNotCount) {
  EXPECT_EQ(nearest_spelling("FULL", {"uniform", "full"}), "full");
  EXPECT_EQ(nearest_spelling("Q", {"k", "q"}), "q");
}

TEST(NearestSpelling, WhereNothingIsInCommonThereIsNoHint) {
  EXPECT_EQ(nearest_spelling("z", {"k", "q"}), std::nullopt);
  EXPECT_EQ(nearest_spelling("", {"a", "ab"}), std::nullopt);
}

TEST(NearestSpelling, TheSmallestDistanceWinsAndTiesGoToTheEarlier) {
  EXPECT_EQ(nearest_spelling("shared_k", {"shared_qkv", "shared_kv", "shared_qk"}), "shared_kv");
  EXPECT_EQ(nearest_spelling("shared_k", {"shared_qk", "shared_kv"}), "shared_qk");
}

TEST(NearestSpelling, CountsCharactersNotBytes) {
  // One of three characters, though up to three of nine bytes.
  EXPECT_EQ(nearest_spelling("注意刀", {"注意力"}), "注意力");
  // Four of four characters that share their lead bytes.
  EXPECT_EQ(nearest_spelling("中丰串临", {"丁七万丈"}), std::nullopt);
}

TEST(NearestSpelling, WhereNothingIsNearTheLastPartOfADottedNameTells) {
  const std::vector<std::string> metrics = {"validation.loss", "validation.accuracy", "step.loss"};
  EXPECT_EQ(nearest_spelling("test.accuracy", metrics), "validation.accuracy");
  EXPECT_EQ(nearest_spelling("accuracy", metrics), "validation.accuracy");
  EXPECT_EQ(nearest_spelling("test.entropy", metrics), std::nullopt);
  EXPECT_EQ(nearest_spelling("accuracy.", metrics), std::nullopt);
  EXPECT_EQ(nearest_spelling("stp.loss", metrics), "step.loss");  // what is near wins
}

TEST(NearestSpelling, BytesThatAreNotUtf8DoNoHarm) {
  EXPECT_EQ(nearest_spelling("unifor\xFF", {"uniform"}), "uniform");
}

TEST(UnknownName, SaysWhatIsAllowedAndWhatWasMeant) {
  EXPECT_EQ(unknown_name("mode", "unifrm", {"full", "uniform", "none"}),
            "unknown mode 'unifrm'; allowed: full, uniform or none; did you mean 'uniform'?");
  EXPECT_EQ(unknown_name("mode", "zzzzzz", {"full", "none"}),
            "unknown mode 'zzzzzz'; allowed: full or none");
  EXPECT_EQ(unknown_name("key", "x", {}), "unknown key 'x'; allowed: none");
}

TEST(ListOfNames, JoinsAsPeopleWrite) {
  EXPECT_EQ(list_of_names({}), "");
  EXPECT_EQ(list_of_names({"a"}), "a");
  EXPECT_EQ(list_of_names({"a", "b"}), "a or b");
  EXPECT_EQ(list_of_names({"a", "b", "c"}), "a, b or c");
}

}  // namespace
}  // namespace qkvlab

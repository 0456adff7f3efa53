#include "report/table.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "support/numbers.hpp"

namespace qkvlab {
namespace {

TEST(Table, ColumnsLineUpAndNothingTrails) {
  Table table({{"variant", Align::kLeft}, {"n"}, {"note", Align::kLeft}});
  table.add_row({"full", "100", "a"});
  table.add_row({"uniform!", "7", "longer"});
  EXPECT_EQ(table.text(),
            "  variant     n  note\n"
            "  full      100  a\n"
            "  uniform!    7  longer\n");
}

TEST(Table, ChineseTextLinesUpByColumnsOfTheTerminal) {
  Table table({{"token", Align::kLeft}, {"w"}});
  table.add_row({"注意力", "1"});
  table.add_row({"a", "2"});
  EXPECT_EQ(table.text(0),
            "token   w\n"
            "注意力  1\n"
            "a       2\n");
}

TEST(Table, NoTitlesNoTitleLine) {
  Table table({{"", Align::kLeft}, {""}});
  table.add_row({"a", "1"});
  EXPECT_EQ(table.text(1), " a  1\n");
}

TEST(Table, CellsAndTitlesCannotMoveTheCursor) {
  Table table({{"t\x1B[2J", Align::kLeft}});
  table.add_row({"a\nb"});
  EXPECT_EQ(table.text(0), "t\uFFFD[2J\na\uFFFDb\n");
}

TEST(Table, ARowOfAnotherLengthIsAMistakeOfTheProgram) {
  Table table({{"a"}, {"b"}});
  EXPECT_THROW(table.add_row({"1"}), std::logic_error);
}

Table wide_table() {
  Table table({{"variant", Align::kLeft}, {"n"}, {"mean of it"}, {"95 % CI of mean"}, {"time"}});
  table.add_row({"full", "30", "0.5", "[0.25, 0.75]", "1 s"});
  table.add_row({"identity_qkv", "3", "0.125", "[0, 1]", "2 s"});
  return table;
}

TEST(Table, ColumnsThatDoNotFitStandBeneathWithTheLabelsAgain) {
  EXPECT_EQ(wide_table().text(2, {50}),
            "  variant        n  mean of it  95 % CI of mean\n"
            "  full          30         0.5     [0.25, 0.75]\n"
            "  identity_qkv   3       0.125           [0, 1]\n"
            "\n"
            "  variant       time\n"
            "  full           1 s\n"
            "  identity_qkv   2 s\n");
  EXPECT_EQ(wide_table().text(2, {55}).find("\n\n"), std::string::npos);
}

TEST(Table, WhereNoColumnFitsBesideTheLabelsEachRowIsAList) {
  EXPECT_EQ(wide_table().text(2, {24}),
            "  variant\n"
            "  full\n"
            "    n                30\n"
            "    mean of it       0.5\n"
            "    95 % CI of mean\n"
            "      [0.25, 0.75]\n"
            "    time             1 s\n"
            "  identity_qkv\n"
            "    n                3\n"
            "    mean of it\n"
            "      0.125\n"
            "    95 % CI of mean\n"
            "      [0, 1]\n"
            "    time             2 s\n");
}

TEST(Table, TextOfTheLastColumnGoesOnBeneath) {
  Table table({{"", Align::kLeft}, {"", Align::kLeft}});
  table.add_row({"BLAS", "a name of several words that is long"});
  table.add_row({"threads", "1"});
  EXPECT_EQ(table.text(0, {30}),
            "BLAS     a name of several\n"
            "         words that is long\n"
            "threads  1\n");
}

TEST(Table, NoWidthBreaksAWordOrLosesACell) {
  for (size_t width = 1; width <= 70; ++width) {
    const std::string text = wide_table().text(2, {width});
    for (const char* cell : {"full", "identity_qkv", "30", "0.125", "[0.25,", "0.75]", "2"}) {
      EXPECT_NE(text.find(cell), std::string::npos) << width << "\n" << text;
    }
  }
}

TEST(Table, AsciiCellsLineUp) {
  Table table({{"variant", Align::kLeft}, {"Δ loss"}});
  table.add_row({"a", "0.1 ± 0.2"});
  table.add_row({"b", "–"});
  TextStyle style;
  style.ascii = true;
  EXPECT_EQ(table.text(0, style),
            "variant  delta loss\n"
            "a        0.1 +- 0.2\n"
            "b                 -\n");
}

TEST(MatrixText, AWideMatrixStandsInBlocksOfColumns) {
  MatrixStyle style;
  style.decimals = 0;
  style.row_labels = {"a", "b"};
  style.text.width = 11;
  EXPECT_EQ(matrix_text({10, 20, 30, 40, 50, 60}, 2, 3, style),
            "  a  10  20\n"
            "  b  40  50\n"
            "\n"
            "  a  30\n"
            "  b  60\n");
}

TEST(MatrixText, NumbersTakeOneWidth) {
  MatrixStyle style;
  style.decimals = 1;
  EXPECT_EQ(matrix_text({1, -2.25, 30, 4}, 2, 2, style),
            "   1.0  -2.2\n"
            "  30.0   4.0\n");
}

TEST(MatrixText, LabelsNameRowsAndColumns) {
  MatrixStyle style;
  style.decimals = 2;
  style.indent = 0;
  style.row_labels = {"我", "love"};
  style.column_labels = {"我", "queries"};
  EXPECT_EQ(matrix_text({0.5, 0.5, 1, 0}, 2, 2, style),
            "           我  queries\n"
            "我       0.50     0.50\n"
            "love     1.00     0.00\n");
}

TEST(MatrixText, MaskedScoresAndNonFiniteNumbersAreReadable) {
  MatrixStyle style;
  style.decimals = 0;
  style.indent = 0;
  EXPECT_EQ(
      matrix_text({-kInfinity, kInfinity, std::numeric_limits<double>::quiet_NaN()}, 1, 3, style),
      "-inf   inf   NaN\n");
}

TEST(MatrixText, LargeAndSmallNumbersHaveExponents) {
  MatrixStyle style;
  style.indent = 0;
  EXPECT_EQ(matrix_text({1e300, 2.5}, 1, 2, style), "1e+300     2.5\n");
  EXPECT_EQ(matrix_text({1e-7, 0}, 1, 2, style), "1e-07      0\n");
  EXPECT_EQ(matrix_text({999999, 0.001}, 1, 2, style), "999999.0000       0.0010\n");
}

TEST(MatrixText, NoRowsIsNoText) { EXPECT_EQ(matrix_text({}, 0, 3, {}), ""); }

TEST(MatrixText, AShapeThatDoesNotFitIsAMistakeOfTheProgram) {
  MatrixStyle style;
  EXPECT_THROW(matrix_text({1, 2, 3}, 2, 2, style), std::logic_error);
  style.row_labels = {"only one"};
  EXPECT_THROW(matrix_text({1, 2, 3, 4}, 2, 2, style), std::logic_error);
}

}  // namespace
}  // namespace qkvlab

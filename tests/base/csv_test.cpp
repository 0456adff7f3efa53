#include "base/csv.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/user_error.hpp"

namespace qkvlab {
namespace {

using Fields = std::vector<std::string>;
using Lines = std::vector<std::pair<int64_t, Fields>>;

Lines read(const std::string& text) {
  Lines lines;
  read_csv(text, "a.csv",
           [&](const Fields& fields, int64_t line) { lines.emplace_back(line, fields); });
  return lines;
}

TEST(Csv, FieldsStandBetweenSeparators) {
  EXPECT_EQ(read("a,b\n1,\n,2"), (Lines{{1, {"a", "b"}}, {2, {"1", ""}}, {3, {"", "2"}}}));
  EXPECT_EQ(read(""), Lines{});
}

TEST(Csv, TheFirstLineShowsTheSeparator) {
  EXPECT_EQ(read("a;b\n1,5;2\n"), (Lines{{1, {"a", "b"}}, {2, {"1,5", "2"}}}));
  EXPECT_EQ(read("a\tb;\n1\t2\n"), (Lines{{1, {"a", "b;"}}, {2, {"1", "2"}}}));
  EXPECT_EQ(read("\"a;\",b\n1,2\n"), (Lines{{1, {"a;", "b"}}, {2, {"1", "2"}}}));
}

TEST(Csv, QuotesHoldSeparatorsQuotesAndLineBreaks) {
  EXPECT_EQ(read("\"a,\"\"b\"\"\",c\n\"1\n2\",3\n4,5\n"),
            (Lines{{1, {"a,\"b\"", "c"}}, {2, {"1\n2", "3"}}, {4, {"4", "5"}}}));
}

TEST(Csv, LinesMayEndAsInDosAndBeEmpty) {
  EXPECT_EQ(read("a,b\r\n\r\n\"1\",2\r\n\n"), (Lines{{1, {"a", "b"}}, {3, {"1", "2"}}}));
}

TEST(Csv, WhatIsNoTableIsNamedWithItsLine) {
  EXPECT_EQ(user_error([] { read("a,b\n1\n"); }),
            "a.csv:2: must have 2 fields as the first line has, got 1");
  EXPECT_EQ(user_error([] { read("a,b\n1,\"2\n3,4\n"); }),
            "a.csv:2: a quote is opened and never closed");
  EXPECT_EQ(user_error([] { read("a,b\n\"1\"x,2\n"); }), "a.csv:2: text after a closing quote");
}

TEST(Csv, AWrittenFieldReadsBack) {
  for (const char* field : {"plain", "a,b", "a;b", "a\tb", "\"", "two\nlines", "\r", "", "注意"}) {
    EXPECT_EQ(read("x,y\n" + csv_field(field) + ",1\n").back().second.front(), field);
  }
}

}  // namespace
}  // namespace qkvlab

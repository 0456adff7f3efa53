#include "report/page_curves.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include "support/occurrences.hpp"

namespace qkvlab {
namespace {

using Json = nlohmann::json;

CurvePoint point(int64_t step, double mean, double half) {
  return {step, 5, 0, mean, Interval{mean - half, mean + half}};
}

CurvePoint gap(int64_t step) { return {step, 0, 2, std::nullopt, std::nullopt}; }

CurveFigure figure_of(const Curve& curve) {
  return {"test.loss", "Loss, test", {{"full", 0, curve}}};
}

/// The attribute `d` of the first element of a class.
std::string drawing(const std::string& html, const std::string& style) {
  const size_t element = html.find("class=\"" + style + "\"");
  const size_t begin = html.find(" d=\"", element) + 4;
  return html.substr(begin, html.find('"', begin) - begin);
}

TEST(PageCurves, LineAndBandGoThroughTheirPoints) {
  // Heights from 0 to 1 on the axis from 226 up to 10, steps from 0 to 10 on that from 62 to 464.
  const std::string html = curve_html(figure_of({point(0, 0.5, 0.5), point(10, 1, 0)}), 3);
  EXPECT_EQ(drawing(html, "line v0"), "M62 118L464 10");
  EXPECT_EQ(drawing(html, "band v0"), "M62 10L464 10L464 10L62 226Z");
  EXPECT_NE(html.find("data-curve=\"3\""), std::string::npos);
}

TEST(PageCurves, AGapIsNotBridged) {
  const Curve curve = {point(0, 1, 0), point(1, 1, 0), gap(2), point(3, 1, 0), point(4, 1, 0)};
  EXPECT_EQ(occurrences(drawing(curve_html(figure_of(curve), 0), "line v0"), "M"), 2u);
  const Json line = Json::parse(curve_data({figure_of(curve)}))[0]["lines"][0];
  EXPECT_EQ(line["mean"], Json::parse("[1,1,null,1,1]"));
  EXPECT_EQ(line["low"], Json::parse("[1,1,null,1,1]"));
}

TEST(PageCurves, TheCaptionSaysWhereLinesEndAndWhatIsNotFinite) {
  const std::string html = curve_html(figure_of({gap(1), point(7, 0.25, 0.125)}), 0);
  EXPECT_NE(html.find("<bdi>full</bdi> <data value=\"0.25\">0.25</data> <span class=\"interval\">"
                      "[0.125, 0.375]</span> at step 7 (n\u00A0=\u00A05)."),
            std::string::npos)
      << html;
  EXPECT_NE(html.find("left out of the mean: 2 of <bdi>full</bdi>."), std::string::npos);
}

TEST(PageCurves, AnIntervalBelowZeroDoesNotForbidALogarithmicAxis) {
  const CurveFigure figure = figure_of({point(0, 100, 200), point(1, 1, 5)});
  EXPECT_TRUE(is_logarithmic(figure));
  // Upper ends 300 and 6 on an axis from 1 to 500; the lower ones are below it.
  EXPECT_EQ(drawing(curve_html(figure, 0), "band v0"), "M62 27.8L464 163.7L464 226L62 226Z");
}

TEST(PageCurves, LongCurvesAreThinnedAndKeepTheirPeaks) {
  Curve curve;
  for (int64_t step = 0; step < 100'000; ++step) curve.push_back(point(step, 1, 0.5));
  curve[54'321] = point(54'321, 9, 0.5);
  const CurveFigure figure = figure_of(curve);
  const std::string json = curve_data({figure});
  EXPECT_LT(json.size(), 20'000u);
  const Json line = Json::parse(json)[0]["lines"][0];
  EXPECT_EQ(line["steps"].size(), line["mean"].size());
  EXPECT_NE(std::find(line["steps"].begin(), line["steps"].end(), 54'321), line["steps"].end());
  EXPECT_LT(curve_html(figure, 0).size(), 10'000u);
}

TEST(PageCurves, NamesAreNoMarkup) {
  CurveFigure figure = figure_of({point(0, 1, 0)});
  figure.lines[0].variant = figure.metric = figure.title = "<b>&\"";
  EXPECT_EQ(occurrences(curve_html(figure, 0), "<b>"), 0u);
  EXPECT_EQ(Json::parse(curve_data({figure}))[0]["lines"][0]["variant"], "<b>&\"");
}

}  // namespace
}  // namespace qkvlab

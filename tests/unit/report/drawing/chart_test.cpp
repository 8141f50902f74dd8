#include "report/drawing/chart.h"

#include <doctest/doctest.h>

using namespace amdahlc::drawing;  // NOLINT(google-build-using-namespace)

namespace {

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

size_t countOf(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

ChartPage pageOf(ChartPanel panel) {
  return {{"title"}, {{"gemm", {"#0072b2"}}, {"copy", {"#f0e442", true}}}, {}, {std::move(panel)}};
}

TEST_CASE("names are no markup and are cut, with the whole name beside them") {
  const std::string name = "<script>" + std::string(100, 'a') + "&end";
  BarTable table{"operator", {"us"}, {{name, {"<1"}, {{0, 5}}}}, {}};
  const std::string svg = writeCharts(pageOf({"a < b", {"note & note"}, {{0, "x > y"}}, table}));
  CHECK_FALSE(contains(svg, "<script"));
  CHECK(contains(svg, "<title>&lt;script&gt;" + std::string(100, 'a') + "&amp;end</title>"));
  CHECK(contains(svg, "\u2026"));
  CHECK(contains(svg, ">&lt;1</text>"));
  CHECK(contains(svg, ">a &lt; b</text>"));
  CHECK(contains(svg, ">note &amp; note</text>"));
  CHECK(contains(svg, ">x &gt; y</text>"));
}

TEST_CASE("shares are written where they fit, and are of their own row") {
  BarTable table{"operator", {}, {{"a", {}, {{0, 50}, {1, 50}}}, {"b", {}, {{0, 999}, {1, 1}}}}, {}};
  const std::string svg = writeCharts(pageOf({"", {}, {}, table}));
  CHECK(countOf(svg, ">50 %</text>") == 2);
  CHECK(countOf(svg, ">99.9 %</text>") == 1);
  CHECK_FALSE(contains(svg, ">0 %</text>"));
}

TEST_CASE("a hatched series is a pattern of the page") {
  BarTable table{"operator", {}, {{"a", {}, {{0, 1}, {1, 1}}}}, {}};
  const std::string svg = writeCharts(pageOf({"", {}, {}, table}));
  CHECK(contains(svg, "<pattern id=\"fill-1\""));
  CHECK(countOf(svg, "fill=\"url(#fill-1)\"") == 2);
  CHECK_FALSE(contains(svg, "fill-0"));
}

TEST_CASE("an item without value has a name and no bar") {
  BarTable table{"operator", {}, {{"nothing", {}, {{0, 0}}}}, {}};
  const std::string svg = writeCharts(pageOf({"", {}, {}, table}));
  CHECK(contains(svg, ">nothing</text>"));
  CHECK_FALSE(contains(svg, "nan"));
  CHECK_FALSE(contains(svg, "inf"));
}

TEST_CASE("steps are filled down to the end of the axis, or to a level") {
  Plot plot;
  plot.x = {.low = 0, .high = 10, .roundEnds = false};
  plot.y = {.low = 0, .high = 10, .roundEnds = false};
  plot.height = 100;
  plot.curves = {{0, CurveKind::FilledSteps, {{0, 8}}}};
  const std::string whole = writeCharts(pageOf({"", {}, {}, plot}));
  plot.curves[0].fillTo = 5;
  const std::string half = writeCharts(pageOf({"", {}, {}, plot}));
  const auto fillOf = [](const std::string& svg) {
    const size_t end = svg.find("\" fill=\"#0072b2\" fill-opacity");
    return svg.substr(svg.rfind("<path", end), end - svg.rfind("<path", end));
  };
  const std::string bottom = fillOf(whole).substr(fillOf(whole).rfind('V') + 1),
                    middle = fillOf(half).substr(fillOf(half).rfind('V') + 1);
  CHECK(std::stod(bottom) - std::stod(middle) == doctest::Approx(50));
}

TEST_CASE("a box plot has a circle for each value outside") {
  BoxTable table{"overhead", {"samples"}, {{"T1", {"9"}, 1, 2, 3, 4, 5, 3, {-7, 60}}}, {}};
  const std::string svg = writeCharts(pageOf({"", {}, {}, table}));
  CHECK(countOf(svg, "<circle") == 2 + 1);  // one in the legend
}

TEST_CASE("steps hold up to the right end of the axis, lines end at their last point") {
  Plot plot;
  plot.x = {.low = 0, .high = 10, .roundEnds = false};
  plot.y = {.low = 0, .high = 4, .roundEnds = false};
  plot.height = 100;
  plot.curves = {{0, CurveKind::Steps, {{0, 1}, {5, 4}}}};
  const std::string steps = writeCharts(pageOf({"", {}, {}, plot}));
  plot.curves = {{0, CurveKind::Line, {{0, 1}, {5, 4}}}};
  const std::string line = writeCharts(pageOf({"", {}, {}, plot}));
  const double left = 1176 - 20 - static_cast<double>(kPlotColumns);
  CHECK(left == 156);
  CHECK(contains(steps, "M156.0,"));
  CHECK(contains(steps, "H656.0V"));
  CHECK(contains(steps, "H1156.0\""));
  CHECK(contains(line, "L656.0,"));
  CHECK_FALSE(contains(line, "H656.0V"));
}

TEST_CASE("a strip joins cells that look alike") {
  Plot plot;
  plot.strips = {{"busy", 0, {0, 1, 1, 0, 0.01, 1}}};
  const std::string svg = writeCharts(pageOf({"", {}, {}, plot}));
  CHECK(countOf(svg, "height=\"9\" fill=\"#0072b2\"") == 3);
  CHECK(contains(svg, "fill-opacity=\"0.125\""));
}

TEST_CASE("a mark at the right end has its text at its left") {
  Plot plot;
  plot.marks = {{{1, 1}, "the peak"}};
  CHECK(contains(writeCharts(pageOf({"", {}, {}, plot})), "text-anchor=\"end\" stroke"));
  plot.marks = {{{0, 1}, "the peak"}};
  CHECK_FALSE(contains(writeCharts(pageOf({"", {}, {}, plot})), "text-anchor=\"end\" stroke"));
}

TEST_CASE("a page without panels is a document") {
  const std::string svg = writeCharts({{"nothing"}, {}, {}, {}});
  CHECK(contains(svg, ">nothing</text>"));
  CHECK(svg.ends_with("</svg>\n"));
}

}  // namespace

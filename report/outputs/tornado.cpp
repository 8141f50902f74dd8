// The output `tornado-svg`: what wall time would become if one group were faster, for all groups of a run side by side.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "passes/curves/group_effects.h"
#include "report/drawing/chart.h"
#include "report/outputs/output.h"
#include "report/section.h"
#include "support/name_list.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

constexpr size_t kTwiceBar = 0, kFreeBar = 1;
/// A bar for less of the time cannot be seen.
constexpr double kVisiblePart = 0.001;

std::string writeTornado(const OutputContext& context, ir::CoverId id) {
  const ReportRun run = reportRun(context.module, context.analyses, id);
  const auto& facts = context.analyses.get<GroupEffects>(id);
  const auto nsOf = [&](const schedule::PredictedTimes& times) {
    return static_cast<double>(run.predictedNs(static_cast<double>(times.limitNs())));
  };
  const double baseNs = nsOf(facts.base);
  const std::string what(schedule::info(facts.base.model).time);
  drawing::ChartPage page;
  page.header = {printable(fmt::format("{}: {}", run.module->modelName, run.cover->traceLabel)),
                 fmt::format("What {} time of an iteration becomes if one group is faster ({})", what,
                             describe(facts.base.model))};
  page.series = {{"saved at twice the speed", {"#0072b2"}}, {"saved besides if it costs nothing", {"#9ecae1"}}};
  for (size_t series = 0; series < page.series.size(); ++series)
    page.legend.push_back({series, page.series[series].name});
  drawing::BarTable table;
  table.rows = "group, as -what-if= takes it";
  table.columns = {"2x, us", "free, us", "at most"};
  table.axis = {.title = fmt::format("{} time of an iteration", what), .unit = drawing::Unit::Nanoseconds};
  table.from = baseNs;
  std::vector<std::string> useless;
  for (const GroupEffect& group : facts.groups) {
    const double twiceNs = std::min(nsOf(group.twice), baseNs), freeNs = std::min(nsOf(group.free), twiceNs);
    if (baseNs - freeNs < kVisiblePart * baseNs) {
      useless.push_back(printable(group.selector));
      continue;
    }
    const auto savedText = [&](double ns) {
      return fmt::format("{} of {}", formatPercent(ns / baseNs), drawing::formatQuantity(baseNs, table.axis.unit));
    };
    const auto us = [&](const schedule::PredictedTimes& times) {
      return run.predictedUs(static_cast<double>(times.limitNs()));
    };
    table.items.push_back(
        {printable(group.selector),
         {us(group.twice), us(group.free), freeNs > 0 ? fmt::format("{:.2f}x", baseNs / freeNs) : "-"},
         {{kTwiceBar, baseNs - twiceNs, savedText(baseNs - twiceNs)},
          {kFreeBar, twiceNs - freeNs, savedText(twiceNs - freeNs)}}});
  }
  drawing::ChartPanel panel;
  if (!useless.empty())
    panel.notes.push_back("Less than 0.1 % is saved by a faster " +
                          firstFew(useless, [](const std::string& name) { return name; }, 8) + ".");
  if (!table.items.empty()) panel.content = std::move(table);
  page.panels.push_back(std::move(panel));
  return drawing::writeCharts(page);
}

}  // namespace

constinit const Output kTornadoOutput{.name = "tornado-svg",
                                      .summary = "what wall time becomes if one group is faster, for all groups",
                                      .needs = ir::Facet::Timed,
                                      .write = writeTornado};

}  // namespace amdahlc

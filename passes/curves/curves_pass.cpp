// Before: kernels have times.                        After: a run has its times against the factor of a group.
//
//   wall |\                                            linear: 1x 100 us, 2x 80 us, 4x 80 us, free 80 us
//        | \_______                                    knee 2x, next: host
//        |________________ factor of `linear`
//        1     1/2      0
//
// Wall time is replayed where the run has a schedule. With idle time kept it is a straight line, which has no knee.

#include "passes/curves/curves_pass.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "ir/facets/timed.h"
#include "passes/curves/curve_builder.h"
#include "passes/curves/curves_chart.h"
#include "passes/curves/curves_facet.h"
#include "passes/curves/curves_table.h"
#include "passes/curves/report_curves.h"

namespace amdahlc {
namespace {

/// More curves than this nobody compares.
constexpr size_t kMostLabels = 12;

}  // namespace

CurvesPass::CurvesPass()
    : curves_(statistic("curves", "groups times runs")), predictions_(statistic("predictions", "times predicted")) {
  runsByDefault(DefaultUse::IfAskedFor);
  needsInput(PassInput::Trace);
  requiresFacet(ir::Facet::Timed);
  establishesFacet(ir::Facet::Curves);
  list("groups",
       {"Name the groups whose curves are drawn.",
        "Selectors are those of `-what-if=`. Without any it is the labels with the most time, `launches` and `host`."},
       selectors_);
  addsCommandOption({.name = "curve",
                     .argument = "selector",
                     .summary = "Predict the times of the run against the speed-up of a group.",
                     .details = "The selector is one of `-what-if=`. The curve has its knee, and what limits then. The "
                                "option may be repeated.",
                     .sets = "groups",
                     .asksForPass = true});
  enablesOutput({.name = "curves",
                 .summary = "busy, wall, window and path by speed-up of each group, as CSV",
                 .needs = ir::Facet::Curves,
                 .writeRun = writeCurvesTable,
                 .isCsv = true});
  enablesOutput({.name = "curves-svg",
                 .summary = "the same as a picture",
                 .needs = ir::Facet::Curves,
                 .writeRun = writeCurvesChart});
  reports(curvesSection());
}

PassResult CurvesPass::run(ir::Module& module, PassContext& context) {
  const std::vector<PredictedRun> runs = predictedRuns(module, context);
  auto asked = groupsOf(module, selectorTexts(selectors_, *findOption("groups")), runs, context);
  if (!asked) return PassResult::failed();
  bool changed = !module.has(ir::Facet::Curves);
  for (size_t i = 0; i < runs.size(); ++i) {
    ir::Cover& cover = module.cover(runs[i].cover);
    std::vector<TimedGroup> groups = std::move((*asked)[i]);
    const size_t named = groups.size();
    for (TimedGroup& group : groupsByLabel(module, runs, i, kMostLabels)) groups.push_back(std::move(group));
    std::vector<size_t> others(groups.size() - named);
    std::iota(others.begin(), others.end(), named);
    const GroupTimesPredictor times(module, runs[i], groups);
    const CurveBuilder builder(module, cover, context.analyses.get<ir::KernelGraph>(runs[i].cover), times, others);
    CurvesFacet facts;
    facts.isReplayed = times.isReplayed();
    const size_t count = named > 0 ? named : groups.size();
    for (size_t group = 0; group < count; ++group) {
      if (context.progress) context.progress("curves", static_cast<double>(group) / static_cast<double>(count));
      facts.curves.push_back(builder.build(group));
    }
    curves_ += static_cast<int64_t>(count);
    predictions_ += times.predictions();
    changed |= cover.facets.replace(std::move(facts));
  }
  module.establish(ir::Facet::Curves);
  return changed ? PassResult::changed() : PassResult::unchanged();
}

}  // namespace amdahlc

#include "report/outputs/html_replay.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "passes/advise/advice_analysis.h"
#include "passes/curves/timed_groups.h"
#include "passes/speedup_rewrite/offered_changes.h"
#include "passes/speedup_rewrite/scenario_predictions.h"
#include "replay/module/run_columns.h"
#include "report/report.h"
#include "support/case_folding.h"

namespace amdahlc {
namespace {

template <typename Value>
bool fits(const std::vector<int64_t>& values) {
  return std::ranges::all_of(values, [](int64_t value) { return std::in_range<Value>(value); });
}
template <typename Value>
page::EncodedColumn encodedAs(const std::vector<int64_t>& values) {
  return page::encoded(std::vector<Value>(values.begin(), values.end()));
}

/// In the smallest type: a page keeps columns in memory.
page::EncodedColumn encoded(const std::vector<int64_t>& values) {
  if (fits<uint8_t>(values)) return encodedAs<uint8_t>(values);
  if (fits<int32_t>(values)) return encodedAs<int32_t>(values);
  if (fits<uint32_t>(values)) return encodedAs<uint32_t>(values);
  return page::encoded(values);
}

/// Labels that a goal may make faster.
constexpr size_t kMostGroups = 64;

/// Those of scenarios, and those of advice that the page does not offer by itself.
std::vector<ir::Change> askedChanges(const OutputContext& context, ir::CoverId run) {
  std::vector<ir::Change> asked;
  for (const ir::Scenario& scenario : context.module.scenarios)
    asked.insert(asked.end(), scenario.changes.begin(), scenario.changes.end());
  if (const auto* found = context.analyses.requested<AdviceAnalysis>(run))
    for (const Advice& one : found->advice)
      if (!one.fused.empty()) {
        ir::Change& change = asked.emplace_back();
        change.kind = ir::ChangeKind::Fuse;
        change.selectors = one.fused;
      }
  return asked;
}

/// Notes which change a group is. A label is offered in one spelling, whatever its case.
void addGroup(const TimedGroup& group, OfferedChanges& offered) {
  ir::Selector selector = ir::parseSelector(group.selector);
  if (selector.kind == ir::SelectorKind::Any) selector.kind = ir::SelectorKind::Rule;
  const std::string text = toLower(ir::describe(selector.kind, selector.text));
  const auto place = std::ranges::find(offered.texts, text, [](const std::string& one) { return toLower(one); });
  if (place != offered.texts.end())
    offered.offer.groups.push_back(static_cast<uint32_t>(place - offered.texts.begin()));
}

}  // namespace

void addReplays(const OutputContext& context, std::vector<page::NamedColumn>& columns) {
  const std::vector<PredictedRun> runs = predictedRuns(context.module, context.analyses);
  const std::vector<RunReport>& reported = context.reported().runs;
  for (size_t place = 0; place < reported.size(); ++place) {
    const RunReport& one = reported[place];
    const auto found = std::ranges::find_if(
        runs, [&](const PredictedRun& run) { return &context.module.cover(run.cover) == one.cover; });
    if (found == runs.end()) continue;
    const auto run = static_cast<size_t>(found - runs.begin());
    OfferedChanges offered = offeredChanges(context.module, runs, run, askedChanges(context, found->cover));
    for (const TimedGroup& group : groupsByLabel(context.module, runs, run, kMostGroups)) addGroup(group, offered);
    const auto& predictor = context.analyses.get<RunPredictor>(found->cover);
    const RunColumns written = write({*one.timeline, predictor.times().undisturbed(), found->model, found->schedule,
                                      found->oneThread, *found->kernels, offered.offer});
    const std::string prefix = std::to_string(place) + "/replay.";
    std::vector<page::NamedColumn> own;
    size_t bytes = 0;
    for (size_t column = 0; column < kRunColumnCount; ++column) {
      if (written.columns[column].empty()) continue;
      own.push_back({prefix + std::string(kRunColumnNames[column]), encoded(written.columns[column])});
      bytes += own.back().column.base64.size();
    }
    // A part of a run cannot be replayed.
    if (bytes > static_cast<size_t>(context.report.pageBytes) / reported.size()) continue;
    std::ranges::move(own, std::back_inserter(columns));
    std::string texts;
    std::vector<uint32_t> ends;
    for (const std::string& text : offered.texts) {
      texts += text;
      ends.push_back(static_cast<uint32_t>(texts.size()));
      texts += '\0';
    }
    columns.push_back({prefix + "changes", page::encodedText(texts)});
    columns.push_back({prefix + "changes.end", page::encoded(ends)});
  }
}

}  // namespace amdahlc

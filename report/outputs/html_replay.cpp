#include "report/outputs/html_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "passes/advise/advice_analysis.h"
#include "passes/curves/timed_groups.h"
#include "passes/speedup_rewrite/offered_changes.h"
#include "passes/speedup_rewrite/scenario_predictions.h"
#include "replay/module/run_columns.h"
#include "report/page/page_document.h"
#include "report/report.h"
#include "support/case_folding.h"

namespace amdahlc {
namespace {

/// The rows of a page of which the replay has the starts and durations, as a 1 for each; nullopt if it has others.
std::optional<std::vector<uint8_t>> rowsOf(const PageSpans& page, const std::vector<int64_t>& starts,
                                           const std::vector<int64_t>& durations, int64_t plusNs) {
  std::vector<uint8_t> rows(page.starts.size(), 0);
  size_t found = 0;
  for (size_t row = 0; row < rows.size() && found < starts.size(); ++row) {
    if (page.starts[row] + plusNs != starts[found] || page.durations[row] != durations[found]) continue;
    rows[row] = 1;
    ++found;
  }
  return found == starts.size() ? std::optional(std::move(rows)) : std::nullopt;
}

/// The columns of one run, and how many bytes they take.
class ReplayColumns {
 public:
  ReplayColumns(const RunColumns& written, const PageRun& page, size_t place)
      : written_(written), page_(page), run_(std::to_string(place) + "/") {
    derive("event", page.events, RunColumn::EventStarts, RunColumn::EventDurations);
    derive("host", page.host, RunColumn::HostStarts, RunColumn::HostDurations);
    for (size_t column = 0; column < kRunColumnCount; ++column)
      if (!isDerived_[column] && !written.columns[column].empty())
        add(std::string(kRunColumnNames[column]), page::encodedSmall(written.columns[column]));
  }
  void add(std::string name, page::EncodedColumn column) {
    bytes_ += column.base64.size();
    columns_.push_back({run_ + "replay." + std::move(name), std::move(column)});
  }
  size_t bytes() const { return bytes_; }
  std::vector<page::NamedColumn>& columns() { return columns_; }

 private:
  /// Starts and durations are most of what a replay needs, and the page has them.
  void derive(const std::string& table, const PageSpans& spans, RunColumn starts, RunColumn durations) {
    if (written_[starts].empty()) return;
    const int64_t plusNs = page_.originNs - originOf(written_);
    const auto rows = rowsOf(spans, written_[starts], written_[durations], plusNs);
    if (!rows) return;
    std::string name;
    if (std::ranges::count(*rows, 0) > 0) {
      add(table + ".rows", page::encoded(*rows));
      name = columns_.back().name;
    }
    for (const auto& [column, part, plus] :
         {std::tuple(starts, ".start", plusNs), std::tuple(durations, ".duration", int64_t{0})}) {
      isDerived_[static_cast<size_t>(column)] = true;
      columns_.push_back({.name = run_ + "replay." + std::string(kRunColumnNames[static_cast<size_t>(column)]),
                          .column = {},
                          .derived = page::DerivedColumn{run_ + table + part, name, plus}});
    }
  }

  const RunColumns& written_;
  const PageRun& page_;
  const std::string run_;
  std::array<bool, kRunColumnCount> isDerived_{};
  std::vector<page::NamedColumn> columns_;
  size_t bytes_ = 0;
};

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

Replays::Replays(const OutputContext& context)
    : context_(context), runs_(predictedRuns(context.module, context.analyses)) {}

std::string Replays::add(size_t place, const PageRun& page, size_t mostBytes,
                         std::vector<page::NamedColumn>& columns) const {
  const RunReport& one = context_.reported().runs[place];
  const auto found = std::ranges::find_if(
      runs_, [&](const PredictedRun& run) { return &context_.module.cover(run.cover) == one.cover; });
  if (found == runs_.end()) return {};
  if (!page::hasReplay()) return "the build of the command had no toolchain for WebAssembly";
  const auto run = static_cast<size_t>(found - runs_.begin());
  OfferedChanges offered = offeredChanges(context_.module, runs_, run, askedChanges(context_, found->cover));
  for (const TimedGroup& group : groupsByLabel(context_.module, runs_, run, kMostGroups)) addGroup(group, offered);
  const auto& predictor = context_.analyses.get<RunPredictor>(found->cover);
  const RunColumns written = amdahlc::write({*one.timeline, predictor.times().undisturbed(), found->model,
                                             found->schedule, found->oneThread, *found->kernels, offered.offer});
  ReplayColumns made(written, page, place);
  std::string texts;
  std::vector<uint32_t> ends;
  for (const std::string& text : offered.texts) {
    texts += text;
    ends.push_back(static_cast<uint32_t>(texts.size()));
    texts += '\0';
  }
  made.add("changes", page::encodedText(texts));
  made.add("changes.end", page::encoded(ends));
  // A part of a run cannot be replayed.
  if (made.bytes() > mostBytes)
    return fmt::format(
        "a replay needs {} KiB more than the page has room for, which `-emit='html<events-kib=N>'` gives",
        (made.bytes() - mostBytes + 1023) / 1024);
  std::ranges::move(made.columns(), std::back_inserter(columns));
  return {};
}

}  // namespace amdahlc

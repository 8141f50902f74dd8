#include <fmt/format.h>

#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "replay/timeline/timeline.h"
#include "report/section.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

std::optional<std::vector<GraphCapture>> captureRows(const ReportRun& run) {
  if (run.timeline == nullptr || !run.timeline->captured) return std::nullopt;
  return run.timeline->captures;
}

constexpr auto kCaptureFields = fields<GraphCapture>(
    field<&GraphCapture::file>("file", "the trace of the capture"),
    field("name", "the innermost annotation around it; null without one", [](auto& row) { return nonEmpty(row.name); }),
    field<&GraphCapture::launches>("launches", "calls that it captured"),
    field<&GraphCapture::replays>("replays", "launches of its graph in the whole trace of the run"),
    field<&GraphCapture::events>("events", "device events of these that are a captured launch"));

constexpr auto kCapturesRunFields = fields<ReportRun>(
    objects<kCaptureFields>("captures", "captures of the graphs that the run launches; null if none is given",
                            [](auto& run) { return captureRows(run); }));

/// Lines of the summary; reports have all.
constexpr size_t kShownCaptures = 10;

std::string capturesHeadline(const ReportRun& run) {
  std::string text;
  const std::vector<GraphCapture> rows = captureRows(run).value_or(std::vector<GraphCapture>());
  for (const GraphCapture& one : rows | std::views::take(kShownCaptures)) {
    const std::string name = one.name.empty() ? "a graph" : fmt::format("graph `{}`", printable(one.name));
    text +=
        fmt::format("{} of {}: launched {}; {} have the operators of its {} captured launches\n", name,
                    printable(one.file), plural(one.replays, "time"), plural(one.events, "device event"), one.launches);
  }
  if (rows.size() > kShownCaptures)
    text += fmt::format("and {} more graphs; all in -emit=json\n", rows.size() - kShownCaptures);
  return text;
}

}  // namespace

constinit const ReportSection kCapturesSection{.runFields = kCapturesRunFields, .headline = capturesHeadline};

}  // namespace amdahlc

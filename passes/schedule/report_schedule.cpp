#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "passes/manager/json_fields.h"
#include "passes/manager/ratios.h"
#include "passes/schedule/constant_names.h"
#include "passes/schedule/schedule_analysis.h"
#include "runtimes/runtime.h"
#include "support/apportion.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "timeline/kernel_name.h"

namespace amdahlc {
namespace {

using Json = nlohmann::ordered_json;
using schedule::PieceKind;
using schedule::PieceNote;
using schedule::RunSchedule;
using schedule::TimePiece;

/// A run is bound by a side if the replay without the other side takes at least so much of its wall time.
constexpr double kBound = 0.9;
/// Two causes that are closer than this are both named.
constexpr double kClose = 0.05;
/// Characters of a kernel's name in a line.
constexpr size_t kNameWidth = 40;
/// Rows of a list in the summary.
constexpr size_t kMostCauses = 4;

/// Null where the pass did not run.
const RunSchedule* scheduleOf(const ReportRun& run) {
  const auto* facts = run.facts<ScheduleAnalysis>();
  return facts == nullptr ? nullptr : &facts->run;
}

bool isThere(const ReportRun& run) {
  const RunSchedule* facts = scheduleOf(run);
  return facts != nullptr && facts->why == schedule::NoSchedule::None;
}

double share(int64_t ns, int64_t ofNs) {
  return quotient(static_cast<double>(ns), static_cast<double>(ofNs)).value_or(0);
}

/// The name of a piece, or what else is known of it; empty for nothing.
std::string detailOf(const ReportRun& run, const TimePiece& piece) {
  if (!piece.name.empty() && piece.note != PieceNote::None)
    return fmt::format("{} ({})", run.timeline->text(piece.name), text(piece.note));
  return std::string(piece.name.empty() ? text(piece.note) : run.timeline->text(piece.name));
}

struct PieceRow {
  std::string_view kind;
  std::string detail;
  int64_t ns;
};

/// Per iteration; the rows sum to the mean, rounded as reports do.
std::vector<PieceRow> rowsOf(const ReportRun& run, const std::vector<TimePiece>& pieces) {
  std::vector<int64_t> totals;
  int64_t sumNs = 0;
  for (const TimePiece& piece : pieces) {
    totals.push_back(piece.ns);
    sumNs += piece.ns;
  }
  const std::vector<int64_t> means = apportion(run.perIteration(sumNs), totals, std::max<int64_t>(run.iterations, 1));
  std::vector<PieceRow> rows;
  for (size_t i = 0; i < pieces.size(); ++i) rows.push_back({name(pieces[i].kind), detailOf(run, pieces[i]), means[i]});
  return rows;
}

JsonField<ReportRun> piecesField(std::string key, std::string kindKey, std::string detailKey, std::string description,
                                 std::vector<TimePiece> RunSchedule::* pieces) {
  const JsonFields<PieceRow> fields{
      jsonField<PieceRow>(std::move(kindKey), schema::text(), "", [](auto& row) { return Json(row.kind); }),
      jsonField<PieceRow>(std::move(detailKey), schema::orNull(schema::text()),
                          "of the operator, call, frame or event, or what else is known; null: nothing",
                          [](auto& row) { return nonEmpty(row.detail); }),
      jsonField<PieceRow>("ns", schema::count(), "per iteration", [](auto& row) { return Json(row.ns); }),
  };
  return jsonArrayOrNull<ReportRun>(
      std::move(key), std::move(description), fields,
      [pieces](const ReportRun& run) -> std::optional<std::vector<PieceRow>> {
        if (!isThere(run) || (pieces == &RunSchedule::windowPath && !scheduleOf(run)->windowNs)) return std::nullopt;
        return rowsOf(run, scheduleOf(run)->*pieces);
      });
}

/// Idle time of the device in which the host was at work, per iteration.
int64_t idleForHostNs(const ReportRun& run) {
  int64_t ns = 0;
  const std::vector<TimePiece>& pieces = scheduleOf(run)->idle;
  const std::vector<PieceRow> rows = rowsOf(run, pieces);
  for (size_t i = 0; i < pieces.size(); ++i) {
    const PieceKind kind = pieces[i].kind;
    if (kind == PieceKind::Host || kind == PieceKind::Input || kind == PieceKind::LaunchCall ||
        kind == PieceKind::Synchronization)
      ns += rows[i].ns;
  }
  return ns;
}

/// Calls of one name that waited for the device.
struct WaitRow {
  std::string_view name;
  /// Over all iterations.
  int64_t calls;
  /// Per iteration.
  int64_t ns;
};

int64_t sumOfWaitsNs(const ReportRun& run) {
  int64_t sumNs = 0;
  for (const schedule::HostWaits& waits : scheduleOf(run)->hostWaits) sumNs += waits.ns;
  return run.perIteration(sumNs);
}

/// They sum to `sumOfWaitsNs`.
std::vector<WaitRow> waitRows(const ReportRun& run) {
  std::vector<int64_t> totals;
  for (const schedule::HostWaits& waits : scheduleOf(run)->hostWaits) totals.push_back(waits.ns);
  const std::vector<int64_t> means = apportion(sumOfWaitsNs(run), totals, std::max<int64_t>(run.iterations, 1));
  std::vector<WaitRow> rows;
  for (size_t i = 0; i < totals.size(); ++i) {
    const schedule::HostWaits& waits = scheduleOf(run)->hostWaits[i];
    rows.push_back({run.timeline->text(waits.name), waits.calls, means[i]});
  }
  return rows;
}

JsonFields<ReportRun> waitFields() {
  const JsonFields<WaitRow> call{
      jsonField<WaitRow>("name", schema::text(), "", [](auto& row) { return Json(row.name); }),
      jsonField<WaitRow>("count", schema::count(), "over all iterations", [](auto& row) { return Json(row.calls); }),
      jsonField<WaitRow>("ns", schema::count(), "per iteration", [](auto& row) { return Json(row.ns); }),
  };
  return {
      jsonField<ReportRun>("device_for_host_ns", schema::count(), "idle time in which the host was at work",
                           [](const ReportRun& run) { return Json(idleForHostNs(run)); }),
      jsonField<ReportRun>("host_for_device_ns", schema::count(), "of all threads, in calls that waited",
                           [](const ReportRun& run) { return Json(sumOfWaitsNs(run)); }),
      jsonArray<ReportRun>("calls", "the calls that waited, the longest first", call, waitRows),
  };
}

/// A field that is null where there is no replay.
template <typename ValueOf>
JsonField<ReportRun> replayField(std::string key, schema::Json type, std::string description, ValueOf valueOf) {
  return jsonField<ReportRun>(
      std::move(key), schema::orNull(std::move(type)), std::move(description),
      [valueOf](const ReportRun& run) { return isThere(run) ? Json(valueOf(run, *scheduleOf(run))) : Json(nullptr); });
}

Json errorOf(std::optional<int64_t> replayedNs, std::optional<int64_t> measuredNs) {
  if (!replayedNs || !measuredNs || *measuredNs <= 0) return nullptr;
  return share(*replayedNs - *measuredNs, *measuredNs);
}

JsonFields<ReportRun> replayFields() {
  const JsonFields<schedule::Constant> constant{
      jsonField<schedule::Constant>("kind", schema::text(), "", [](auto& row) { return Json(constantName(row.kind)); }),
      jsonField<schedule::Constant>("name", schema::orNull(schema::text()), "of the call or kernel; null: all others",
                                    [](auto& row) { return nonEmpty(row.name); }),
      jsonField<schedule::Constant>("ns", {{"type", "integer"}}, "may be negative",
                                    [](auto& row) { return Json(row.ns); }),
      jsonField<schedule::Constant>("samples", schema::count(), "measured values; 0: assumed",
                                    [](auto& row) { return Json(row.samples); }),
  };
  return {
      jsonField<ReportRun>("reason", schema::orNull(schema::text()), "why there is no replay; null if there is one",
                           [](const ReportRun& run) { return nonEmpty(std::string(text(scheduleOf(run)->why))); }),
      replayField("wall_ns", schema::count(), "of the unchanged run, without unexplained waits, per iteration",
                  [](const ReportRun& run, const RunSchedule& facts) { return run.perIteration(facts.strict.wallNs); }),
      replayField("window_ns", schema::orNull(schema::count()), "the same of the windows; null if they are unknown",
                  [](const ReportRun& run, const RunSchedule& facts) {
                    return facts.strict.windowNs && facts.windowNs ? Json(run.perIteration(*facts.strict.windowNs))
                                                                   : Json(nullptr);
                  }),
      replayField("error", schema::orNull(schema::number()), "of wall: (replayed - measured) / measured",
                  [](auto&, const RunSchedule& facts) { return errorOf(facts.strict.wallNs, facts.wallNs); }),
      replayField("window_error", schema::orNull(schema::number()), "of the windows",
                  [](auto&, const RunSchedule& facts) { return errorOf(facts.strict.windowNs, facts.windowNs); }),
      replayField("kept_error", schema::orNull(schema::number()),
                  "of wall with unexplained waits kept, as predictions are made",
                  [](auto&, const RunSchedule& facts) { return errorOf(facts.kept.wallNs, facts.wallNs); }),
      replayField("unexplained", schema::quantity(), "unexplained waits over wall; they may overlap",
                  [](auto&, const RunSchedule& facts) { return share(facts.unexplainedNs, facts.wallNs); }),
      replayField("audit", schema::quantity(),
                  "time in calls that look like waits, but are not modelled as such, over wall",
                  [](auto&, const RunSchedule& facts) { return share(facts.auditNs, facts.wallNs); }),
      replayField("without_device", schema::quantity(), "wall if no device work took any time, over replayed wall",
                  [](auto&, const RunSchedule& facts) { return share(facts.withoutDeviceNs, facts.keptExtentNs); }),
      replayField("without_host", schema::quantity(), "wall if the host took no time, over replayed wall",
                  [](auto&, const RunSchedule& facts) { return share(facts.withoutHostNs, facts.keptExtentNs); }),
      replayField("carried_in", schema::count(), "events whose measured start is taken over",
                  [](auto&, const RunSchedule& facts) { return facts.carriedIn; }),
      replayField("without_launch", schema::count(), "events whose launch is not in the trace",
                  [](auto&, const RunSchedule& facts) { return facts.withoutLaunch; }),
      replayField("contradictions", schema::count(), "calls that wait for what ended long after them",
                  [](auto&, const RunSchedule& facts) { return facts.contradictions; }),
      replayField("queue_length", schema::orNull(schema::count()), "launches that a stream holds; null: no limit",
                  [](auto&, const RunSchedule& facts) { return orNull(facts.queueLength); }),
      jsonArrayOrNull<ReportRun>("constants", "estimated from the trace", constant,
                                 [](const ReportRun& run) -> std::optional<std::vector<schedule::Constant>> {
                                   if (!isThere(run)) return std::nullopt;
                                   return scheduleOf(run)->constants;
                                 }),
  };
}

JsonFields<ReportRun> runFields() {
  return {
      piecesField("idle", "cause", "detail", "causes of idle time, which they sum to; null without schedule",
                  &RunSchedule::idle),
      piecesField("run_path", "kind", "name",
                  "the critical path of the run, back from the end of the last event; its pieces sum to wall",
                  &RunSchedule::wallPath),
      piecesField("window_path", "kind", "name",
                  "the same back from the end of the window; its pieces sum to the window", &RunSchedule::windowPath),
      jsonObjectOrNull<ReportRun>("waits", "who waits for whom, per iteration; null without schedule", waitFields(),
                                  isThere),
      jsonObjectOrNull<ReportRun>("replay", "the run replayed from its calls; null without schedule", replayFields(),
                                  [](const ReportRun& run) { return scheduleOf(run) != nullptr; }),
  };
}

struct Cause {
  std::string text;
  int64_t ns = 0;
};

/// By kind, the largest first; of equal ones the first.
std::vector<Cause> causes(const std::vector<TimePiece>& pieces) {
  std::vector<Cause> sums;
  for (const TimePiece& piece : pieces) {
    const bool isUnknown = piece.kind == PieceKind::Unknown;
    const std::string_view title = isUnknown && piece.note != PieceNote::None ? text(piece.note) : name(piece.kind);
    auto found = std::find_if(sums.begin(), sums.end(), [&](const Cause& cause) { return cause.text == title; });
    if (found == sums.end()) found = sums.insert(sums.end(), {std::string(title), 0});
    found->ns += piece.ns;
  }
  std::stable_sort(sums.begin(), sums.end(), [](const Cause& a, const Cause& b) { return a.ns > b.ns; });
  return sums;
}

std::string limit(const ReportRun& run) {
  if (!isThere(run)) return {};
  const RunSchedule& facts = *scheduleOf(run);
  if (facts.keptExtentNs <= 0 || facts.wallNs <= 0) return {};
  std::vector<std::string> parts;
  if (facts.isUnexplained())
    parts.push_back(fmt::format("waits that the trace does not explain are {} of wall",
                                percent(share(facts.unexplainedNs, facts.wallNs))));
  else if (facts.isInexact())
    parts.push_back(fmt::format("the replay is {} off, so that the run is not understood",
                                percent(share(facts.strictErrorNs(), facts.wallNs))));
  const double withoutDevice = share(facts.withoutDeviceNs, facts.keptExtentNs),
               withoutHost = share(facts.withoutHostNs, facts.keptExtentNs);
  const bool isHost = withoutDevice >= kBound, isDevice = withoutHost >= kBound;
  const char* const verdict = isHost && isDevice ? "balanced"
                              : isHost           ? "host-bound"
                              : isDevice         ? "device-bound"
                                                 : "host and device take turns";
  parts.push_back(fmt::format("{}: wall would be {} without device work and {} without the host's", verdict,
                              percent(withoutDevice), percent(withoutHost)));
  const std::vector<Cause> path = causes(facts.wallPath);
  if (!path.empty()) {
    const double first = share(path[0].ns, facts.wallNs);
    const double second = path.size() > 1 ? share(path[1].ns, facts.wallNs) : -1;
    parts.push_back(
        second >= 0 && first - second <= kClose
            ? fmt::format("its path is {} {} and {} {}", path[0].text, percent(first), path[1].text, percent(second))
            : fmt::format("its path is {} {}", path[0].text, percent(first)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// `host 88.3 %, launch-call 8.9 %, ...`
std::string listed(const std::vector<TimePiece>& pieces) {
  const std::vector<Cause> all = causes(pieces);
  int64_t sumNs = 0;
  for (const Cause& cause : all) sumNs += cause.ns;
  std::vector<std::string> shown;
  for (const Cause& cause : std::span(all).first(std::min(all.size(), kMostCauses)))
    shown.push_back(fmt::format("{} {}", cause.text, percent(share(cause.ns, sumNs))));
  return fmt::format("{}{}", fmt::join(shown, ", "), all.size() > kMostCauses ? ", ..." : "");
}

/// Names of kernels are long.
std::string shortened(const ReportRun& run, const TimePiece& piece) {
  const std::string_view whole = run.timeline->text(piece.name);
  if (piece.kind != PieceKind::DeviceWork) return std::string(whole);
  return shortKernelName(whole, kNameWidth, runtimeAdapter(run.timeline->target.runtime).kernelNamespaces());
}

/// The largest pieces with names: ``; most: host `addmm` 12.3 %``.
std::string largest(const ReportRun& run, const std::vector<TimePiece>& pieces) {
  std::vector<TimePiece> order;
  int64_t sumNs = 0;
  for (const TimePiece& piece : pieces) {
    sumNs += piece.ns;
    if (!piece.name.empty()) order.push_back(piece);
  }
  std::stable_sort(order.begin(), order.end(), [](const TimePiece& a, const TimePiece& b) { return a.ns > b.ns; });
  std::vector<std::string> shown;
  for (const TimePiece& piece : std::span(order).first(std::min(order.size(), kMostCauses)))
    shown.push_back(
        fmt::format("{} `{}` {}", name(piece.kind), printable(shortened(run, piece)), percent(share(piece.ns, sumNs))));
  return fmt::format("{}{}", shown.empty() ? "" : "; most: ", fmt::join(shown, ", "));
}

std::string signedPercent(int64_t replayedNs, int64_t measuredNs) {
  return fmt::format("{:+.2f} %", 100 * share(replayedNs - measuredNs, measuredNs));
}

std::string headline(const ReportRun& run) {
  const RunSchedule* facts = scheduleOf(run);
  if (facts == nullptr) return {};
  if (facts->why != schedule::NoSchedule::None) return fmt::format("no schedule: {}\n", schedule::text(facts->why));
  std::string out;
  if (!facts->idle.empty())
    out += fmt::format("idle time, what was going on: {}{}\n", listed(facts->idle), largest(run, facts->idle));
  const int64_t idleNs = idleForHostNs(run), waitsNs = sumOfWaitsNs(run);
  if (idleNs > 0 || waitsNs > 0) {
    out += fmt::format("waits: device for host {} us, host for device {} us", formatUs(idleNs), formatUs(waitsNs));
    if (const std::vector<WaitRow> rows = waitRows(run); !rows.empty())
      out += fmt::format(", most in `{}`", printable(rows.front().name));
    out += "\n";
  }
  out += fmt::format("path of the run: {}{}\n", listed(facts->wallPath), largest(run, facts->wallPath));
  out += fmt::format("replay: wall {} us, {} from measured", formatUs(run.perIteration(facts->strict.wallNs)),
                     signedPercent(facts->strict.wallNs, facts->wallNs));
  if (facts->windowNs && facts->strict.windowNs)
    out += fmt::format(", window {} us, {}", formatUs(run.perIteration(*facts->strict.windowNs)),
                       signedPercent(*facts->strict.windowNs, *facts->windowNs));
  if (facts->unexplainedNs > 0)
    out += fmt::format("; unexplained waits {} of wall, kept in predictions",
                       percent(share(facts->unexplainedNs, facts->wallNs)));
  if (facts->carriedIn > 0) out += fmt::format("; {} carried in", plural(facts->carriedIn, "event"));
  return out + "\n";
}

}  // namespace

ReportSection scheduleSection() { return {.runFields = runFields, .limit = limit, .headline = headline}; }

}  // namespace amdahlc

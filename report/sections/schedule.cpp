#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>

#include "passes/advise/advice_analysis.h"
#include "passes/schedule/schedule_analysis.h"
#include "replay/runtimes/runtime.h"
#include "replay/timeline/kernel_name.h"
#include "replay/timeline/totals.h"
#include "report/section.h"
#include "support/decimal_time.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"
#include "support/statistics.h"

namespace amdahlc {
namespace {

using schedule::PieceKind;
using schedule::PieceNote;
using schedule::RunSchedule;
using schedule::TimePiece;

/// The verdict names parts of a window from this share on.
constexpr double kNamedWindowPart = 0.1;
/// The verdict names calls in which the host waits from this share of the window on.
constexpr double kMostOfWindow = 0.5;
/// Characters of a kernel's name in a line.
constexpr size_t kPieceNameWidth = 40;
/// Rows of a list in the summary.
constexpr size_t kMostCauses = 4;

/// Null where the pass did not run, and where the run has no schedule.
const RunSchedule* knownSchedule(const ReportRun& run) {
  const auto* facts = run.facts<ScheduleAnalysis>();
  return facts != nullptr && facts->run ? &*facts->run : nullptr;
}

template <typename Part>
int64_t scheduleSum(const std::vector<Part>& parts) {
  int64_t sumNs = 0;
  for (const Part& part : parts) sumNs += part.ns;
  return sumNs;
}

/// The parts of a time per iteration; they sum to it, rounded as reports do.
template <typename Part>
std::vector<int64_t> scheduledParts(const ReportRun& run, const std::vector<Part>& parts) {
  std::vector<int64_t> totals;
  for (const Part& part : parts) totals.push_back(part.ns);
  return apportion(run.perIteration(scheduleSum(parts)), totals, run.iterations);
}

/// The name of a piece, or what else is known of it; empty for nothing.
std::string pieceDetail(const ReportRun& run, const TimePiece& piece) {
  if (!piece.name.empty() && piece.note != PieceNote::None)
    return fmt::format("{} ({})", run.timeline->text(piece.name), describe(piece.note));
  return std::string(piece.name.empty() ? describe(piece.note) : run.timeline->text(piece.name));
}

struct SchedulePieceRow {
  const ReportRun& run;
  const TimePiece& piece;
  /// Per iteration.
  int64_t ns;
};

std::vector<SchedulePieceRow> schedulePieceRows(const ReportRun& run, const std::vector<TimePiece>& pieces) {
  const std::vector<int64_t> parts = scheduledParts(run, pieces);
  std::vector<SchedulePieceRow> rows;
  for (size_t i = 0; i < pieces.size(); ++i) rows.push_back({run, pieces[i], parts[i]});
  return rows;
}

constexpr auto schedulePieceFields(std::string_view kindKey, std::string_view detailKey) {
  return fields<SchedulePieceRow>(
      field(kindKey, "", [](auto& row) { return name(row.piece.kind); }),
      field(detailKey, "of the operator, call, frame or event, or what else is known; null: nothing",
            [](auto& row) { return nonEmpty(pieceDetail(row.run, row.piece)); }),
      field<&SchedulePieceRow::ns>("ns", "per iteration"));
}

constexpr auto kScheduleIdleFields = schedulePieceFields("cause", "detail");
constexpr auto kSchedulePathFields = schedulePieceFields("kind", "name");

template <auto pieces>
constexpr auto kSchedulePieces = [](const ReportRun& run) -> std::optional<std::vector<SchedulePieceRow>> {
  const RunSchedule* facts = knownSchedule(run);
  if (facts == nullptr || (pieces == &RunSchedule::windowPath && !facts->windowNs)) return std::nullopt;
  return schedulePieceRows(run, facts->*pieces);
};

/// Idle time of the device in which the host was at work, per iteration.
int64_t idleForHostNs(const ReportRun& run) {
  int64_t ns = 0;
  for (const SchedulePieceRow& row : schedulePieceRows(run, knownSchedule(run)->idle))
    if (const PieceKind kind = row.piece.kind; kind == PieceKind::Host || kind == PieceKind::Input ||
                                               kind == PieceKind::LaunchCall || kind == PieceKind::Synchronization)
      ns += row.ns;
  return ns;
}

/// Calls of one name that waited for the device.
struct HostWaitRow {
  std::string_view name;
  /// In the reported iterations.
  int64_t calls;
  /// Per iteration.
  int64_t ns;
};

int64_t sumOfWaitsNs(const ReportRun& run) { return run.perIteration(scheduleSum(knownSchedule(run)->hostWaits)); }

/// They sum to `sumOfWaitsNs`.
std::vector<HostWaitRow> hostWaitRows(const ReportRun& run) {
  const std::vector<schedule::HostWaits>& waits = knownSchedule(run)->hostWaits;
  const std::vector<int64_t> parts = scheduledParts(run, waits);
  std::vector<HostWaitRow> rows;
  for (size_t i = 0; i < waits.size(); ++i)
    rows.push_back({run.timeline->text(waits[i].name), waits[i].calls, parts[i]});
  return rows;
}

constexpr auto kScheduleCallFields =
    fields<HostWaitRow>(field<&HostWaitRow::name>("name", ""),
                        field<&HostWaitRow::calls>("count", "in the representative iteration; with means, in all"),
                        field<&HostWaitRow::ns>("ns", "per iteration"));

constexpr auto kScheduleWaitFields = fields<ReportRun>(
    field("device_for_host_ns", "idle time in which the host was at work",
          [](auto& run) { return idleForHostNs(run); }),
    field("host_for_device_ns", "of all threads, in calls that waited", [](auto& run) { return sumOfWaitsNs(run); }),
    objects<kScheduleCallFields>("calls", "the calls that waited, the longest first",
                                 [](auto& run) { return hostWaitRows(run); }));

constexpr auto kScheduleConstantFields = fields<schedule::Constant>(
    field("kind", "", [](auto& row) { return schedule::name(row.kind); }),
    field("name", "of the call or kernel; null: all others", [](auto& row) { return nonEmpty(row.name); }),
    field("ns", "may be negative", [](auto& row) { return SignedInteger{row.ns}; }),
    field<&schedule::Constant::samples>("samples", "measured values; 0: assumed"));

// These values of the replay are null where there is none.

template <auto member>
constexpr auto kReplayFact = [](const ReportRun& run) {
  const RunSchedule* facts = knownSchedule(run);
  return facts != nullptr ? std::optional(facts->*member) : std::nullopt;
};

/// The extent of a replay, over that of the unchanged run.
template <auto replayed>
constexpr auto kExtentShare = [](const ReportRun& run) {
  const RunSchedule* facts = knownSchedule(run);
  return facts != nullptr ? std::optional(shareOf((facts->*replayed).extentNs, facts->unchanged.extentNs))
                          : std::nullopt;
};

template <auto part, auto whole>
constexpr auto kReplayShare = [](const ReportRun& run) {
  const RunSchedule* facts = knownSchedule(run);
  return facts != nullptr ? std::optional(shareOf(facts->*part, facts->*whole)) : std::nullopt;
};

/// How far a time of a replay is off; null also where one of the times is unknown.
template <auto replay, auto replayed, auto measured>
constexpr auto kReplayError = [](const ReportRun& run) -> std::optional<SignedNumber> {
  const RunSchedule* facts = knownSchedule(run);
  if (facts == nullptr) return std::nullopt;
  const std::optional<int64_t> replayedNs = (facts->*replay).*replayed, measuredNs = facts->*measured;
  if (!replayedNs || !measuredNs || *measuredNs <= 0) return std::nullopt;
  return SignedNumber{shareOf(*replayedNs - *measuredNs, *measuredNs)};
};

constexpr auto kScheduleReplayFields = fields<ReportRun>(
    field("reason", "why there is no replay; null if there is one",
          [](const ReportRun& run) { return run.facts<ScheduleAnalysis>()->run.absence(); }),
    field("wall_ns", "of the unchanged run, without unexplained waits, per iteration",
          [](auto& run) {
            const RunSchedule* facts = knownSchedule(run);
            return facts != nullptr ? std::optional(run.perIteration(facts->strict.wallNs)) : std::nullopt;
          }),
    field("window_ns", "the same of the windows; null if they are unknown",
          [](auto& run) {
            const RunSchedule* facts = knownSchedule(run);
            return facts != nullptr && facts->strict.windowNs && facts->windowNs
                       ? std::optional(run.perIteration(*facts->strict.windowNs))
                       : std::nullopt;
          }),
    field("error", "of wall: (replayed - measured) / measured",
          kReplayError<&RunSchedule::strict, &RunSchedule::Times::wallNs, &RunSchedule::wallNs>),
    field("window_error", "of the windows",
          kReplayError<&RunSchedule::strict, &RunSchedule::Times::windowNs, &RunSchedule::windowNs>),
    field("kept_error", "of wall with unexplained waits kept, as predictions are made",
          kReplayError<&RunSchedule::kept, &RunSchedule::Times::wallNs, &RunSchedule::wallNs>),
    field("unexplained", "unexplained waits over wall; they may overlap",
          kReplayShare<&RunSchedule::unexplainedNs, &RunSchedule::wallNs>),
    field("audit", "time in calls that look like waits, but are not modelled as such, over wall",
          kReplayShare<&RunSchedule::auditNs, &RunSchedule::wallNs>),
    field("without_device", "wall if no device work took any time, over replayed wall",
          kExtentShare<&RunSchedule::withoutDevice>),
    field("without_host", "wall if the host took no time, over replayed wall", kExtentShare<&RunSchedule::withoutHost>),
    field("carried_in", "events whose measured start is taken over", kReplayFact<&RunSchedule::carriedIn>),
    field("without_launch", "events whose launch is not in the trace", kReplayFact<&RunSchedule::withoutLaunch>),
    field("contradictions", "calls that wait for what ended long after them",
          kReplayFact<&RunSchedule::contradictions>),
    field("queue_length", "launches that a stream holds; null: no limit", kReplayFact<&RunSchedule::queueLength>),
    objects<kScheduleConstantFields>("constants", "estimated from the trace", [](auto& run) {
      const RunSchedule* facts = knownSchedule(run);
      return facts != nullptr ? &facts->constants : nullptr;
    }));

constexpr auto kScheduleRunFields = fields<ReportRun>(
    objects<kScheduleIdleFields>("idle", "causes of idle time, which they sum to; null without schedule",
                                 kSchedulePieces<&RunSchedule::idle>),
    objects<kSchedulePathFields>(
        "run_path", "the critical path of the run, back from the end of the last event; its pieces sum to wall",
        kSchedulePieces<&RunSchedule::wallPath>),
    objects<kSchedulePathFields>("window_path",
                                 "the same back from the end of the window; its pieces sum to the window",
                                 kSchedulePieces<&RunSchedule::windowPath>),
    object<kScheduleWaitFields>("waits", "who waits for whom, per iteration; null without schedule",
                                [](auto& run) { return knownSchedule(run) != nullptr ? &run : nullptr; }),
    object<kScheduleReplayFields>(
        "replay", "the run replayed from its calls; null without schedule",
        [](const ReportRun& run) { return run.facts<ScheduleAnalysis>() != nullptr ? &run : nullptr; }));

struct TimeCause {
  std::string text;
  int64_t ns = 0;
};

/// By kind, the largest first; of equal ones the first.
std::vector<TimeCause> timeCauses(const std::vector<TimePiece>& pieces) {
  std::vector<TimeCause> sums;
  for (const TimePiece& piece : pieces) {
    const bool isUnknown = piece.kind == PieceKind::Unknown;
    const std::string_view title = isUnknown && piece.note != PieceNote::None ? describe(piece.note) : name(piece.kind);
    auto found = std::ranges::find(sums, title, &TimeCause::text);
    if (found == sums.end()) found = sums.insert(sums.end(), {std::string(title), 0});
    found->ns += piece.ns;
  }
  std::ranges::stable_sort(sums, std::ranges::greater(), &TimeCause::ns);
  return sums;
}

/// Names of kernels are long.
std::string shortPieceName(const ReportRun& run, const TimePiece& piece) {
  const std::string_view whole = run.timeline->text(piece.name);
  if (piece.kind != PieceKind::DeviceWork) return std::string(whole);
  return shortKernelName(whole, kPieceNameWidth, runtimeAdapter(run.timeline->target.runtime).kernelNamespaces());
}

/// ``, the longest part in `addmm` ``, of the longest piece of a path; empty where nothing was recorded there.
std::string longestPiece(const ReportRun& run, const std::vector<TimePiece>& path) {
  if (path.empty()) return {};
  const TimePiece& longest = *std::ranges::max_element(path, {}, &TimePiece::ns);
  return longest.name.empty() ? "" : fmt::format(", the longest part in `{}`", printable(shortPieceName(run, longest)));
}

/// Where the time of a window is that is not in wall; empty where the window is not much longer, and for stretches of
/// time that the user chose. Their path tells by name what the host does.
std::string windowLimit(const ReportRun& run) {
  const Timeline& timeline = *run.timeline;
  const ReportedIterations reported(timeline);
  const std::vector<TimeInterval> extents = iterationExtents(timeline, reported);
  int64_t windowNs = 0, wallNs = 0, beforeNs = 0, afterNs = 0;
  for (size_t i = 0; i < extents.size(); ++i) {
    const Iteration& iteration = timeline.iterations[i];
    if (!reported.has(static_cast<int32_t>(i))) continue;
    if (!timeline.hasStarts || !iteration.startNs || !iteration.endNs || iteration.isCut()) return {};
    windowNs += *iteration.endNs - *iteration.startNs;
    wallNs += extents[i].lengthNs();
    if (extents[i] == TimeInterval()) continue;
    beforeNs += std::max<int64_t>(std::min(extents[i].startNs, *iteration.endNs) - *iteration.startNs, 0);
    afterNs += std::max<int64_t>(*iteration.endNs - extents[i].endNs, 0);
  }
  if (!isMuchLonger(windowNs, wallNs)) return {};
  const RunSchedule* facts = knownSchedule(run);
  std::vector<std::string> parts;
  const auto addPart = [&](int64_t ns, std::string_view where, std::vector<TimePiece> RunSchedule::* path) {
    if (const double share = shareOf(ns, windowNs); share >= kNamedWindowPart)
      parts.push_back(fmt::format("{} {}{}{}", formatPercent(share), parts.empty() ? "of the window is " : "", where,
                                  facts != nullptr ? longestPiece(run, facts->*path) : ""));
  };
  addPart(beforeNs, "before the first device event", &RunSchedule::windowPathBefore);
  addPart(afterNs, "after the last device event", &RunSchedule::windowPathAfter);
  if (parts.empty()) return {};
  return fmt::format("{}", fmt::join(parts, ", and "));
}

/// From this part on, a time is said to be as long as before.
constexpr double kAsLong = 0.995;

/// Which side decides the time of an iteration, as a phrase; empty where it is not known.
std::string sideLimit(const ReportRun& run) {
  if (const RunSchedule* facts = knownSchedule(run); facts != nullptr && facts->isMostlyBefore())
    return fmt::format(
        "whether host or device is the limit is not known, because {} of wall time is waiting for work that was "
        "launched before the recording; record a later step, or let the device finish before the recording begins",
        formatPercent(shareOf(facts->beforeRecordingNs, facts->wallNs)));
  const auto* facts = run.facts<AdviceAnalysis>();
  const RunLimit limit = facts != nullptr ? facts->limit() : RunLimit::Unknown;
  if (limit == RunLimit::Unknown) return {};
  const auto left = [&](const AdvisedTimes& times) {
    const double share = shareOf(times.longerNs(), facts->base.longerNs());
    return share >= kAsLong ? "as long" : formatPercent(share) + " of its time";
  };
  const std::string withoutDevice = left(*facts->withoutDevice), withoutHost = left(*facts->withoutHost);
  switch (limit) {
    case RunLimit::Host:
      return fmt::format("the host is the limit: without device work an iteration would still take {}", withoutDevice);
    case RunLimit::Device:
      return fmt::format("the device is the limit: without host work an iteration would still take {}", withoutHost);
    case RunLimit::Both:
      return fmt::format(
          "host and device are both the limit: an iteration would still take {} without device work, and "
          "{} without host work",
          withoutDevice, withoutHost);
    case RunLimit::Turns:
      return fmt::format(
          "neither host nor device alone is the limit: an iteration would take {} without device work, "
          "and {} without host work",
          withoutDevice, withoutHost);
    case RunLimit::Unknown:
      break;
  }
  return {};
}

/// Where wall is much longer than the window because an iteration begins before the device is done with another one;
/// empty elsewhere.
std::string overlapLimit(const ReportRun& run) {
  const Timeline& timeline = *run.timeline;
  if (!timeline.hasStarts) return {};
  const ReportedIterations reported(timeline);
  const std::vector<TimeInterval> extents = iterationExtents(timeline, reported);
  const auto events = eventsByIteration(timeline);
  int64_t windowNs = 0, wallNs = 0;
  bool overlaps = false;
  std::vector<int64_t> stepsNs;
  for (size_t i = 0; i < extents.size(); ++i) {
    const Iteration& iteration = timeline.iterations[i];
    const bool isReported = reported.has(static_cast<int32_t>(i));
    if (isReported) {
      if (!iteration.startNs || !iteration.endNs || iteration.isCut()) return {};
      windowNs += *iteration.endNs - *iteration.startNs;
      wallNs += extents[i].lengthNs();
    }
    if (i + 1 == extents.size() || timeline.iterations[i + 1].recording != iteration.recording) continue;
    const Iteration& next = timeline.iterations[i + 1];
    if (iteration.startNs && next.startNs) stepsNs.push_back(*next.startNs - *iteration.startNs);
    overlaps |= isReported && !events[i + 1].empty() && timeline.startNs[events[i + 1].front()] < extents[i].endNs;
  }
  if (!overlaps || !isMuchLonger(wallNs, windowNs) || stepsNs.empty()) return {};
  return fmt::format(
      "wall is longer than the window, because iterations overlap: one begins every {}, while the device still works "
      "for the one before",
      formatReadable(lowerMedian(stepsNs)));
}

/// The innermost module or annotation around a call in its thread, but no iteration; empty where there is none.
/// Annotations are no parents of calls.
std::string_view placeOfCall(const Timeline& timeline, HostEventId call) {
  const HostFacts& host = *timeline.host;
  std::string_view place;
  // The inner one of two begins later.
  for (const HostEventId event : host.kind.ids()) {
    if (host.startNs[event] > host.startNs[call]) break;
    if (host.kind[event] != EventKind::Annotation && host.kind[event] != EventKind::ModuleFrame) continue;
    if (host.track[event] != host.track[call] || host.endNs(event) < host.endNs(call)) continue;
    const std::string_view name = timeline.text(host.name[event]);
    if (std::ranges::find(timeline.iterations, name, &Iteration::name) == timeline.iterations.end()) place = name;
  }
  return place;
}

/// Of a run of which it is not known what limits it: the calls of one name in which the host waits for most of the
/// window. Empty where it does not.
std::string waitLimit(const ReportRun& run, const RunSchedule& facts) {
  if (facts.hostWaits.empty() || !facts.windowNs || !run.timeline->host) return {};
  const schedule::HostWaits& waits = facts.hostWaits.front();
  if (shareOf(waits.ns, *facts.windowNs) < kMostOfWindow) return {};
  const std::string_view place = placeOfCall(*run.timeline, waits.longest);
  return fmt::format("the host waits for the device in `{}`{} for {} of the window of {}",
                     printable(run.timeline->text(waits.name)),
                     place.empty() ? "" : fmt::format(" below `{}`", printable(place)),
                     formatReadable(run.perIteration(waits.ns)), formatReadable(run.perIteration(*facts.windowNs)));
}

/// What limits the run, or why that is not known, and where a window is longer than wall, or shorter.
std::vector<std::string> scheduleLimit(const ReportRun& run) {
  std::vector<std::string> sentences;
  if (std::string side = sideLimit(run); !side.empty()) sentences.push_back(std::move(side));
  if (const RunSchedule* facts = knownSchedule(run); facts != nullptr && facts->wallNs > 0) {
    if (facts->isUnexplained())
      sentences.push_back(fmt::format(
          "whether host or device is the limit is not known, because {} of wall time are waits that the trace does not "
          "explain",
          formatPercent(shareOf(facts->unexplainedNs, facts->wallNs))));
    else if (facts->isInexact())
      sentences.push_back(
          fmt::format("whether host or device is the limit is not known, because the replay of the run is {} of wall "
                      "time off",
                      formatPercent(shareOf(facts->strictErrorNs(), facts->wallNs))));
    if (facts->isUnexplained() || facts->isInexact())
      if (std::string wait = waitLimit(run, *facts); !wait.empty()) sentences.push_back(std::move(wait));
  }
  if (std::string window = windowLimit(run); !window.empty()) sentences.push_back(std::move(window));
  if (std::string overlap = overlapLimit(run); !overlap.empty()) sentences.push_back(std::move(overlap));
  return sentences;
}

/// `host 88.3 %, launch-call 8.9 %, ...`
std::string listedCauses(const std::vector<TimePiece>& pieces) {
  const std::vector<TimeCause> all = timeCauses(pieces);
  const int64_t sumNs = scheduleSum(pieces);
  std::vector<std::string> shown;
  for (const TimeCause& cause : std::span(all).first(std::min(all.size(), kMostCauses)))
    shown.push_back(fmt::format("{} {}", cause.text, formatPercent(shareOf(cause.ns, sumNs))));
  return fmt::format("{}{}", fmt::join(shown, ", "), all.size() > kMostCauses ? ", ..." : "");
}

/// The largest pieces with names: ``; most: host `addmm` 12.3 %``.
std::string largestPieces(const ReportRun& run, const std::vector<TimePiece>& pieces) {
  const int64_t sumNs = scheduleSum(pieces);
  std::vector<TimePiece> order;
  std::ranges::copy_if(pieces, std::back_inserter(order), [](const TimePiece& piece) { return !piece.name.empty(); });
  std::ranges::stable_sort(order, std::ranges::greater(), &TimePiece::ns);
  std::vector<std::string> shown;
  for (const TimePiece& piece : std::span(order).first(std::min(order.size(), kMostCauses)))
    shown.push_back(fmt::format("{} `{}` {}", name(piece.kind), printable(shortPieceName(run, piece)),
                                formatPercent(shareOf(piece.ns, sumNs))));
  return fmt::format("{}{}", shown.empty() ? "" : "; most: ", fmt::join(shown, ", "));
}

std::string changeOf(int64_t replayedNs, int64_t measuredNs) {
  return formatChange(shareOf(replayedNs - measuredNs, measuredNs));
}

std::string scheduleHeadline(const ReportRun& run) {
  const auto* analysis = run.facts<ScheduleAnalysis>();
  if (analysis == nullptr) return {};
  if (const auto absence = analysis->run.absence()) return fmt::format("no schedule: {}\n", describe(*absence));
  const RunSchedule* facts = &*analysis->run;
  std::string out;
  if (!facts->idle.empty())
    out +=
        fmt::format("idle time, what was going on: {}{}\n", listedCauses(facts->idle), largestPieces(run, facts->idle));
  const int64_t idleNs = idleForHostNs(run), waitsNs = sumOfWaitsNs(run);
  if (idleNs > 0 || waitsNs > 0) {
    out += fmt::format("waits: device for host {} us, host for device {} us", formatUs(idleNs), formatUs(waitsNs));
    if (const std::vector<HostWaitRow> rows = hostWaitRows(run); !rows.empty())
      out += fmt::format(", most in `{}`", printable(rows.front().name));
    out += "\n";
  }
  out += fmt::format("path of the run: {}{}\n", listedCauses(facts->wallPath), largestPieces(run, facts->wallPath));
  out += fmt::format("replay: wall {} us, {} from measured", formatUs(run.perIteration(facts->strict.wallNs)),
                     changeOf(facts->strict.wallNs, facts->wallNs));
  if (facts->windowNs && facts->strict.windowNs)
    out += fmt::format(", window {} us, {}", formatUs(run.perIteration(*facts->strict.windowNs)),
                       changeOf(*facts->strict.windowNs, *facts->windowNs));
  if (facts->unexplainedNs > 0)
    out += fmt::format("; unexplained waits {} of wall, kept in predictions",
                       formatPercent(shareOf(facts->unexplainedNs, facts->wallNs)));
  if (facts->carriedIn > 0) out += fmt::format("; {} carried in", plural(facts->carriedIn, "event"));
  return out + "\n";
}

}  // namespace

constinit const ReportSection kScheduleSection{
    .runFields = kScheduleRunFields, .limit = scheduleLimit, .headline = scheduleHeadline};

}  // namespace amdahlc

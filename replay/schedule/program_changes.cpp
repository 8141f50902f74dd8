#include "replay/schedule/program_changes.h"

#include <algorithm>

#include "support/statistics.h"

namespace amdahlc::schedule {
namespace {

/// Of a call that records or waits, where a run has none: 1.5 to 3.5 us in recorded runs.
constexpr int64_t kAssumedCallNs = 1'500;

}  // namespace

std::optional<int64_t> medianLengthNs(const RunCalls& calls, const std::function<bool(const Call&)>& accepts) {
  std::vector<int64_t> lengths;
  for (const Call& call : calls.calls())
    if (accepts(call)) lengths.push_back(call.lengthNs());
  if (lengths.empty()) return std::nullopt;
  return median(lengths);
}

EventSet allSelected(const Timeline& timeline) {
  EventSet events;
  for (EventIndex event = 0; event < timeline.size(); ++event) events.push_back(timeline.isSelected(event));
  return events;
}

void beginMoves(const RunCalls& calls, Changes& changes) {
  const auto lengthOf = [&](DeviceCall meaning) {
    return medianLengthNs(calls, [&](const Call& call) { return call.meaning == meaning; }).value_or(kAssumedCallNs);
  };
  changes.waitCallsNs = lengthOf(DeviceCall::EventRecord) + lengthOf(DeviceCall::StreamWait);
  changes.mayDelay = true;
  if (changes.streams.empty())
    for (EventIndex event = 0; event < calls.timeline().size(); ++event)
      changes.streams.push_back(calls.streamOf(event));
}

StreamIndex newStream(const RunCalls& calls, const Changes& changes) {
  const auto last = std::max_element(changes.streams.begin(), changes.streams.end());
  const auto measured = static_cast<StreamIndex>(calls.streams());
  return last == changes.streams.end() ? measured : std::max(measured, *last + 1);
}

}  // namespace amdahlc::schedule

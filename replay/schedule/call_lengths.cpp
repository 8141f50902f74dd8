#include "replay/schedule/call_lengths.h"

#include <vector>

#include "replay/schedule/program_changes.h"
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

int64_t waitCallsNs(const RunCalls& calls) {
  const auto lengthOf = [&](DeviceCall meaning) {
    return medianLengthNs(calls, [&](const Call& call) { return call.meaning == meaning; }).value_or(kAssumedCallNs);
  };
  return lengthOf(DeviceCall::EventRecord) + lengthOf(DeviceCall::StreamWait);
}

}  // namespace amdahlc::schedule

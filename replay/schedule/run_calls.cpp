#include "replay/schedule/run_calls.h"

#include <algorithm>
#include <string>
#include <utility>

#include "replay/schedule/implicit_waits.h"
#include "replay/timeline/recordings.h"
#include "support/statistics.h"

namespace amdahlc::schedule {

RunCalls::RunCalls(const Timeline& timeline) : timeline_(timeline) {
  findStreams();
  findMeanings();
  findCalls();
  cutNestedCalls();
}

void RunCalls::findStreams() {
  streamOfTrack_.assign(timeline_.tracks.size(), kNoTrack);
  before_.assign(timeline_.size(), kNoEvent);
  std::vector<EventIndex> last;
  RecordingWalk recordings(timeline_);
  for (EventIndex event = 0; event < timeline_.size(); ++event) {
    if (recordings.enters(timeline_.startNs[event])) std::ranges::fill(last, kNoEvent);
    StreamIndex& stream = streamOfTrack_[timeline_.track[event]];
    if (stream == kNoTrack) {
      stream = streams_++;
      last.push_back(kNoEvent);
      streamOfNumber_.emplace(timeline_.tracks[timeline_.track[event]].thread, stream);
    }
    EventIndex& before = last[stream];
    before_[event] = before;
    if (before == kNoEvent || timeline_.endNs(event) >= timeline_.endNs(before)) before = event;
  }
}

void RunCalls::findMeanings() {
  meanings_.resize(timeline_.strings.size());
  for (const HostEventId event : host().kind.ids()) {
    if (host().kind[event] != EventKind::Runtime) continue;
    std::optional<DeviceCall>& meaning = meanings_[host().name[event].index];
    if (!meaning) meaning = deviceCall(timeline_.text(host().name[event]));
  }
}

CallRole RunCalls::roleOf(HostEventId event, bool launches) const {
  const DeviceCall meaning = meaningOf(event);
  if (launches || isSynchronization(meaning) || isKernelLaunch(timeline_.text(host().name[event])))
    return CallRole::Explained;
  if (meaning == DeviceCall::StreamWait || meaning == DeviceCall::EventRecord) return CallRole::Orders;
  return meaning == DeviceCall::Query ? CallRole::Query : CallRole::Other;
}

void RunCalls::findCalls() {
  IdVector<HostEventId, bool> launches(host().size(), false);
  for (EventIndex event = 0; event < timeline_.size(); ++event)
    if (const HostEventId launch = host().launchCall(event); !launch.isNone()) launches[launch] = true;

  // What is reserved and not used takes no memory, while a vector that grows takes new memory for each copy.
  std::vector<std::pair<HostEventId, CallRole>> roles;
  roles.reserve(host().size());
  for (const HostEventId event : host().kind.ids())
    if (host().kind[event] == EventKind::Runtime) roles.emplace_back(event, roleOf(event, launches[event]));
  const std::vector<ImplicitWait> implicitWaits = findImplicitWaits(timeline_, roles);

  threadOfTrack_.assign(timeline_.tracks.size(), kNoTrack);
  callOf_ = IdVector<HostEventId, CallIndex>(host().size(), kNoCall);
  calls_.reserve(roles.size());
  auto wait = implicitWaits.begin();
  for (const auto& [event, role] : roles) {
    const bool isWait = wait != implicitWaits.end() && wait->call == event;
    if (!isWait && role != CallRole::Orders && !launches[event] && !isSynchronization(meaningOf(event))) continue;
    ThreadIndex& thread = threadOfTrack_[host().track[event]];
    if (thread == kNoTrack) thread = threads_++;
    callOf_[event] = static_cast<CallIndex>(calls_.size());
    Call& call = calls_.emplace_back(
        Call{event, meaningOf(event), thread, host().startNs[event], host().endNs(event), launches[event]});
    if (!isWait) continue;
    call.endNs = wait->endNs;
    call.awaited = wait->event;
    if (wait->event == kNoEvent) call.meaning = DeviceCall::DeviceSync;
    call.ownNs = wait->ownNs;
    ++wait;
  }
  launchOf_.assign(timeline_.size(), kNoCall);
  std::vector<std::pair<CallIndex, EventIndex>> launched;
  launched.reserve(timeline_.size());
  for (EventIndex event = 0; event < timeline_.size(); ++event) {
    // An operator that stands for a launch, in a trace without calls, tells no time of the launch.
    const HostEventId launch = host().launchCall(event);
    if (launch.isNone()) continue;
    launchOf_[event] = callOf_[launch];
    launched.emplace_back(launchOf_[event], event);
  }
  launched_ = CompressedRows<CallIndex, EventIndex>(calls_.size(), launched);
}

/// A thread makes one call at a time: where calls nest, the outer one ends for us where the inner one begins.
void RunCalls::cutNestedCalls() {
  std::vector<CallIndex> last(threads(), kNoCall);
  for (CallIndex index = 0; index < calls_.size(); ++index) {
    CallIndex& before = last[calls_[index].thread];
    if (before != kNoCall) calls_[before].endNs = std::min(calls_[before].endNs, calls_[index].startNs);
    before = index;
  }
}

std::map<uint32_t, int64_t> mediansOf(const std::map<uint32_t, std::vector<int64_t>>& lengthsNs) {
  std::map<uint32_t, int64_t> medians;
  for (const auto& [symbol, lengths] : lengthsNs) medians[symbol] = median(lengths);
  return medians;
}

StreamIndex RunCalls::findStream(int64_t number) const {
  if (number < 0) return kNoTrack;
  const auto found = streamOfNumber_.find(std::to_string(number));
  return found == streamOfNumber_.end() ? kNoTrack : found->second;
}

}  // namespace amdahlc::schedule

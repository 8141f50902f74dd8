#include "schedule/hta_rows.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

namespace amdahlc::schedule {
namespace {

using enum HtaWait;

struct CallName {
  std::string_view name;
  uint8_t call;
};
constexpr CallName kCallNames[] = {
    {"cuLaunchKernel", HtaCall::kLaunches},
    {"cuLaunchKernelEx", HtaCall::kLaunches},
    {"cudaDeviceSynchronize", HtaCall::kWaits},
    {"cudaEventQuery", HtaCall::kWaits},
    {"cudaEventRecord", HtaCall::kRecords},
    {"cudaEventSynchronize", HtaCall::kWaits},
    {"cudaHostAlloc", HtaCall::kLocks},
    {"cudaLaunchKernel", HtaCall::kLaunches | HtaCall::kLocks},
    {"cudaLaunchKernelExC", HtaCall::kLaunches},
    {"cudaMemcpy", HtaCall::kWaits},
    {"cudaMemcpyAsync", HtaCall::kLaunches | HtaCall::kLocks | HtaCall::kWaits},
    {"cudaMemsetAsync", HtaCall::kLaunches},
    {"cudaStreamSynchronize", HtaCall::kWaits},
    {"hipExtModuleLaunchKernel", HtaCall::kLaunches},
    {"hipLaunchKernel", HtaCall::kLaunches},
    {"hipMemcpyAsync", HtaCall::kLaunches},
    {"hipMemcpyWithStream", HtaCall::kLaunches},
    {"hipMemsetAsync", HtaCall::kLaunches},
};

HtaWait waitNamed(std::string_view name) {
  constexpr std::pair<std::string_view, HtaWait> kNames[] = {
      {"Context Sync", Context}, {"Stream Sync", Stream}, {"Event Sync", Event}, {"Stream Wait Event", StreamForEvent}};
  for (const auto& [of, wait] : kNames)
    if (of == name) return wait;
  return None;
}

int64_t floorUs(int64_t ns) { return ns / 1000 - (ns % 1000 < 0 ? 1 : 0); }

}  // namespace

HtaRows::HtaRows(const Timeline& timeline) : timeline_(timeline) {
  readRows();
  nameCalls();
  joinRows();
  findLaunches();
  findQueues();
  findRecords();
}

HtaStreamIndex HtaRows::streamOf(const std::string& number) {
  return streams_.emplace(number, static_cast<HtaStreamIndex>(streams_.size())).first->second;
}

void HtaRows::readRows() {
  const HostFacts& host = *timeline_.host;
  std::vector<HtaRow> rows;
  std::vector<uint32_t> places;
  const auto add = [&](HtaRow& row, int64_t startNs, int64_t endNs, uint32_t place) {
    // Inwards, so that what is inside of something stays there.
    row.startUs = -floorUs(-startNs);
    row.endUs = floorUs(endNs);
    rows.push_back(row);
    places.push_back(place);
  };
  for (const HostEventId event : host.kind.ids()) {
    HtaRow row;
    row.kind = host.kind[event];
    row.name = host.name[event];
    row.track = host.track[event];
    row.correlation = host.correlation[event];
    if (row.kind == EventKind::Synchronization) {
      row.wait = waitNamed(timeline_.text(row.name));
      row.waitFacts = host.waitFactsOf(event);
      if (row.waitFacts != nullptr && row.waitFacts->stream >= 0)
        row.stream = streamOf(std::to_string(row.waitFacts->stream));
    }
    add(row, host.startNs[event], host.endNs(event), host.fileEvent.empty() ? kNoFileEvent : host.fileEvent[event]);
  }
  // Without a device they are stretches of operators.
  for (EventIndex event = 0; timeline_.hasDevice && event < timeline_.size(); ++event) {
    HtaRow row;
    row.kind = timeline_.kind[event];
    row.name = timeline_.name[event];
    row.track = timeline_.track[event];
    row.correlation = timeline_.correlation[event];
    row.stream = streamOf(timeline_.tracks[row.track].thread);
    add(row, timeline_.startNs[event], timeline_.endNs(event),
        timeline_.fileEvent.empty() ? kNoFileEvent : timeline_.fileEvent[event]);
  }
  std::vector<HtaRowIndex> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](HtaRowIndex a, HtaRowIndex b) { return places[a] < places[b]; });
  rows_.reserve(rows.size());
  for (const HtaRowIndex row : order) rows_.push_back(rows[row]);
}

void HtaRows::nameCalls() {
  std::vector<uint8_t> bySymbol(timeline_.strings.size(), 0);
  for (const CallName& named : kCallNames)
    if (const auto symbol = timeline_.strings.lookUp(named.name)) bySymbol[symbol->index] = named.call;
  for (HtaRow& row : rows_) row.call = bySymbol[row.name.index];
}

/// Of several rows with one correlation the last counts.
void HtaRows::joinRows() {
  std::unordered_map<int64_t, HtaRowIndex> calls, onDevice;  // only looked up
  const auto isOnDevice = [](const HtaRow& row) { return row.isDeviceWork() || row.wait != None; };
  for (HtaRowIndex index = 0; index < size(); ++index) {
    const HtaRow& row = rows_[index];
    if (row.correlation < 0) continue;
    if (row.isCall()) calls[row.correlation] = index;
    if (isOnDevice(row)) onDevice[row.correlation] = index;
  }
  for (HtaRow& row : rows_) {
    if (row.correlation < 0 || (!row.isCall() && !isOnDevice(row))) continue;
    const auto& others = row.isCall() ? onDevice : calls;
    if (const auto found = others.find(row.correlation); found != others.end()) row.partner = found->second;
  }
}

void HtaRows::findLaunches() {
  for (HtaRowIndex index = 0; index < size(); ++index) {
    const HtaRow& row = rows_[index];
    if (row.isCall() && (row.call & HtaCall::kLaunches) != 0 && row.hasPartner() && rows_[row.partner].hasStream())
      launches_.push_back({rows_[row.partner].stream, row.track, row.startUs, index});
  }
  threadLaunches_ = launches_;
  const auto byTime = [](const Launch& a) { return std::tuple(a.stream, a.us, a.row); };
  const auto byThread = [](const Launch& a) { return std::tuple(a.stream, a.track, a.us, a.row); };
  std::sort(launches_.begin(), launches_.end(),
            [&](const Launch& a, const Launch& b) { return byTime(a) < byTime(b); });
  std::sort(threadLaunches_.begin(), threadLaunches_.end(),
            [&](const Launch& a, const Launch& b) { return byThread(a) < byThread(b); });
}

/// How many device events wait on each stream, whatever the scope.
void HtaRows::findQueues() {
  std::vector<std::tuple<HtaStreamIndex, int64_t, bool, HtaRowIndex>> changes;  // the bool: takes away
  for (const Launch& launch : launches_) changes.emplace_back(launch.stream, launch.us, false, launch.row);
  for (HtaRowIndex index = 0; index < size(); ++index) {
    const HtaRow& row = rows_[index];
    if (row.hasStream() && row.hasPartner() && (rows_[row.partner].call & HtaCall::kLaunches) != 0)
      changes.emplace_back(row.stream, row.startUs, true, index);
  }
  std::sort(changes.begin(), changes.end());
  HtaStreamIndex current = kNoIndex;
  int64_t length = 0;
  for (const auto& [stream, us, takesAway, row] : changes) {
    if (stream != current) length = 0;
    current = stream;
    length += takesAway ? -1 : 1;
    rows_[row].foundIdle = length == (takesAway ? 0 : 1);
  }
}

void HtaRows::findRecords() {
  std::unordered_map<int64_t, HtaStreamIndex> streamOfRecord;  // only looked up
  for (const HtaRow& row : rows_)
    if (const WaitFacts* facts = row.waitFacts; facts && facts->sourceStream >= 0 && facts->recordCorrelation >= 0)
      streamOfRecord[facts->recordCorrelation] = streamOf(std::to_string(facts->sourceStream));
  for (const HtaRow& row : rows_) {
    if (!row.isCall() || (row.call & HtaCall::kRecords) == 0) continue;
    const auto found = streamOfRecord.find(row.correlation);
    if (found == streamOfRecord.end()) continue;
    const auto after = std::partition_point(launches_.begin(), launches_.end(), [&](const Launch& launch) {
      return std::pair(launch.stream, launch.us) <= std::pair(found->second, row.startUs);
    });
    const bool hasLaunch = after != launches_.begin() && (after - 1)->stream == found->second;
    recorded_[row.correlation] = hasLaunch ? rows_[(after - 1)->row].partner : kNoIndex;
  }
}

HtaRowIndex HtaRows::sourceOf(const HtaRow& wait) const {
  if (wait.waitFacts == nullptr) return kNoIndex;
  const auto found = recorded_.find(wait.waitFacts->recordCorrelation);
  return found == recorded_.end() ? kNoIndex : found->second;
}

HtaRowIndex HtaRows::targetOf(const HtaRow& wait) const {
  const HtaRow& call = rows_[wait.partner];
  const auto next = std::partition_point(threadLaunches_.begin(), threadLaunches_.end(), [&](const Launch& launch) {
    return std::tuple(launch.stream, launch.track, launch.us) < std::tuple(wait.stream, call.track, call.startUs);
  });
  if (next == threadLaunches_.end() || next->stream != wait.stream || next->track != call.track) return kNoIndex;
  return rows_[next->row].partner;
}

bool HtaRows::setScope(const HtaScope& scope) {
  int64_t startUs = std::numeric_limits<int64_t>::min(), endUs = std::numeric_limits<int64_t>::max();
  if (scope.extent) {
    startUs = -floorUs(-scope.extent->startNs);
    endUs = floorUs(scope.extent->endNs);
  } else if (!scope.annotation.empty()) {
    size_t instance = 0;
    const auto isIt = [&](const HtaRow& row) {
      return timeline_.text(row.name).find(scope.annotation) != std::string_view::npos && instance++ == scope.instance;
    };
    const auto found = std::find_if(rows_.begin(), rows_.end(), isIt);
    if (found == rows_.end()) return false;
    startUs = found->startUs;
    endUs = found->endUs;
  }
  const auto startsInside = [&](const HtaRow& row) {
    return !row.hasStream() && row.kind != EventKind::DeviceAnnotation && row.startUs >= startUs &&
           row.startUs <= endUs && row.durationUs() > 0;
  };
  for (HtaRow& row : rows_) {
    if (!row.hasStream())
      row.inScope = startsInside(row);
    else
      row.inScope = row.hasPartner() && (row.wait == StreamForEvent || startsInside(rows_[row.partner]));
  }
  return true;
}

}  // namespace amdahlc::schedule

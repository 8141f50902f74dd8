#include "runs/builder/captured_launches.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "replay/runtimes/device_calls.h"

namespace amdahlc {
namespace {

/// A stretch of time in which a stream was captured.
struct Capture {
  Row begin;
  int64_t startNs, endNs;
};

/// By start. A capture ends with the next end on its thread that no later capture there takes.
std::vector<Capture> capturesIn(const EventTable& table) {
  std::vector<Capture> captures;
  std::map<uint32_t, std::vector<size_t>> open;  // by thread
  SymbolMemo<DeviceCall> meanings(table.strings);
  for (Row row = 0; row < table.size(); ++row) {
    if (table.kind[row] != EventKind::Runtime) continue;
    const DeviceCall call = meanings.of(table.name[row], deviceCall);
    if (call == DeviceCall::BeginCapture) {
      open[table.track[row]].push_back(captures.size());
      captures.push_back({row, table.startNs[row], INT64_MAX});
    } else if (call == DeviceCall::EndCapture) {
      std::vector<size_t>& onThread = open[table.track[row]];
      if (onThread.empty()) continue;
      captures[onThread.back()].endNs = table.startNs[row];
      onThread.pop_back();
    }
  }
  return captures;
}

EventKind kindOf(CapturedWork work) {
  return work == CapturedWork::Copy ? EventKind::Copy : work == CapturedWork::Set ? EventKind::Set : EventKind::Kernel;
}

/// From threads to blocks; unknown if the blocks are not, or do not divide the threads.
void countBlocks(LaunchFacts& facts) {
  for (size_t i = 0; i < 3; ++i)
    facts.grid[i] = facts.block[i] > 0 && facts.grid[i] % facts.block[i] == 0 ? facts.grid[i] / facts.block[i] : -1;
}

}  // namespace

std::vector<CapturedLaunch> capturedLaunches(const EventTable& table, const std::function<HostEventId(Row)>& hostIdOf) {
  const std::vector<Capture> captures = capturesIn(table);
  if (captures.empty()) return {};
  std::vector<bool> hasWork(table.size(), false);
  for (const Row launch : table.launch)
    if (launch != kNoRow) hasWork[launch] = true;
  std::map<uint32_t, const StatedLaunch*> stated;
  for (const StatedLaunch& one : table.statedLaunches) stated[one.fileEvent] = &one;

  SymbolMemo<CapturedWork> works(table.strings);
  std::vector<std::pair<size_t, CapturedLaunch>> found;
  std::vector<size_t> open;  // captures that have begun and not ended
  size_t next = 0;
  for (Row row = 0; row < table.size(); ++row) {
    if (table.kind[row] != EventKind::Runtime) continue;
    const int64_t nowNs = table.startNs[row];
    for (; next < captures.size() && captures[next].startNs <= nowNs; ++next) open.push_back(next);
    std::erase_if(open, [&](size_t capture) { return captures[capture].endNs <= nowNs; });
    if (open.empty() || hasWork[row]) continue;
    const CapturedWork work = works.of(table.name[row], capturedWork);
    if (work == CapturedWork::None) continue;
    const auto isOnThread = [&](size_t capture) { return table.track[captures[capture].begin] == table.track[row]; };
    const auto own = std::find_if(open.rbegin(), open.rend(), isOnThread);
    const size_t capture = own != open.rend() ? *own : open.back();
    CapturedLaunch launch{hostIdOf(row), hostIdOf(captures[capture].begin), kindOf(work), {}, {}, {}};
    if (const auto facts = stated.find(table.fileEvent[row]); facts != stated.end()) {
      launch.kernel = facts->second->kernel;
      launch.stream = facts->second->stream;
      launch.facts = table.launchFacts[facts->second->facts];
      if (countsThreads(table.strings.text(table.name[row]))) countBlocks(launch.facts);
    }
    found.emplace_back(capture, launch);
  }
  std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
  std::vector<CapturedLaunch> launches;
  launches.reserve(found.size());
  for (const auto& [capture, launch] : found) launches.push_back(launch);
  return launches;
}

}  // namespace amdahlc

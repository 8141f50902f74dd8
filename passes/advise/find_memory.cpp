// Memory of the device that iterations take and give back, and memory that is nearly full.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "passes/advise/advice_analysis.h"
#include "passes/advise/finders.h"
#include "passes/timing/timing_analysis.h"
#include "replay/schedule/dropped_waits.h"
#include "support/plural.h"
#include "support/printable.h"
#include "support/ratio.h"

namespace amdahlc {
namespace {

constexpr double kFull = 0.9;

}  // namespace

std::optional<double> AdvisedRun::memoryInUse() const {
  if (!timeline.host || roofline == nullptr || !roofline->hardware) return std::nullopt;
  const auto& size = roofline->hardware->memoryBytes;
  if (!size || *size <= 0 || timeline.host->memory.empty()) return std::nullopt;
  int64_t most = 0;
  for (const MemoryRecord& record : timeline.host->memory) most = std::max(most, record.allocatedBytes);
  return shareOf(most, *size);
}

void findMemory(AdvisedRun& run, std::vector<AdviceCandidate>& candidates) {
  if (const auto part = run.memoryInUse(); part && *part >= kFull)
    run.notes.push_back(fmt::format("{} of the device's memory is in use at most: {}", formatPercent(*part),
                                    run.remedy(Remedy::KeepMemory)));
  const schedule::RunModel* model = run.predicted().model;
  if (model == nullptr || !run.timed.run.wallNs) return;
  const HostFacts& host = model->calls.host();
  std::map<std::string_view, int64_t> names;
  int64_t ns = 0, calls = 0;
  for (const HostEventId event : host.kind.ids()) {
    if (host.kind[event] != EventKind::Runtime || !run.reported.has(host.iteration[event]) ||
        model->calls.threadOf(event) == schedule::kNoTrack || model->calls.meaningOf(event) != DeviceCall::Memory)
      continue;
    names[run.timeline.text(host.name[event])] += host.durationNs[event];
    ns += host.durationNs[event];
    ++calls;
  }
  const double share = shareOf(ns, run.longerNs());
  if (share < kLeastSaving) return;
  AdviceCandidate candidate;
  const std::vector<std::string> waits = schedule::namesOfWaits(*model);
  const auto add = [&](ir::Change change) {
    candidate.selector += (candidate.selector.empty() ? "" : ";") + whatIfText(change);
    candidate.likely.push_back(std::move(change));
  };
  std::vector<std::string> texts;
  for (const auto& [name, oneNs] : names) {
    add(withoutTime(ir::SelectorKind::HostOperator, name));
    // A call that frees memory waits for the device.
    if (std::ranges::binary_search(waits, name)) add(withoutTime(ir::SelectorKind::Wait, name));
    texts.push_back(fmt::format("`{}`", printable(name)));
  }
  candidate.change =
      run.hasOneIteration()
          ? "run once before what is measured: this iteration takes memory of the device, which a later one may have"
          : fmt::format("take the memory of the device once, not in each iteration: {}",
                        run.remedy(Remedy::KeepMemory));
  candidate.why =
      fmt::format("{} an iteration of {}, {} of {}", plural(std::max<int64_t>(1, calls / run.reported.count()), "call"),
                  fmt::join(texts, ", "), formatPercent(share), run.longerName());
  candidate.assumption = run.hasOneIteration()
                             ? "a later iteration takes no memory, which one recorded iteration does not tell"
                             : "the memory that is taken once is enough";
  candidates.push_back(std::move(candidate));
}

}  // namespace amdahlc

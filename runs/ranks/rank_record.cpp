#include "runs/ranks/rank_record.h"

#include <fmt/format.h>

#include <map>

namespace amdahlc::ranks {
namespace {

/// The key of a kernel that communicates. Without groups, kernels of one name and stream correspond: streams have the
/// same numbers in all ranks that run the same program.
CollectiveKey keyOf(const Timeline& timeline, EventIndex event, const CollectiveFacts* facts) {
  const std::string kernel(timeline.text(timeline.name[event]));
  CollectiveKey key;
  if (facts != nullptr) {
    key.operation = timeline.text(facts->operation);
    key.group = timeline.text(facts->group);
    key.groupRanks = timeline.text(facts->groupRanks);
    key.groupSize = facts->groupSize;
    key.kind = collectiveKind(key.operation);
  }
  if (key.kind == CollectiveKind::Unknown) key.kind = collectiveKind(kernel);
  // What several operations run in one kernel is called after the last one, or not at all.
  if (key.operation.empty()) key.operation = kernel.substr(0, kernel.find('('));
  if (!key.hasGroup()) key.operation += fmt::format(" on stream {}", timeline.tracks[timeline.track[event]].thread);
  return key;
}

}  // namespace

RankRecord recordOf(const Timeline& timeline) {
  RankRecord record;
  record.file = timeline.file;
  record.contentHash = timeline.contentHash;
  record.device = timeline.target.device;
  record.runtime = timeline.target.runtime;
  record.stated = timeline.rank;
  record.clockResolutionNs = timeline.clockResolutionNs;
  record.problems = timeline.problems;

  const std::vector<IterationTimes> times = iterationTimes(timeline);
  const auto breakdowns = timeBreakdowns(timeline);
  std::map<std::string_view, int64_t> occurrences;
  std::vector<std::optional<uint32_t>> stepOf(timeline.iterations.size());
  for (size_t i = 0; i < timeline.iterations.size(); ++i) {
    const Iteration& iteration = timeline.iterations[i];
    const int64_t occurrence = occurrences[iteration.name]++;
    if (!iteration.selected()) continue;
    stepOf[i] = static_cast<uint32_t>(record.steps.size());
    record.steps.push_back(
        {{iteration.name, occurrence}, times[i], breakdowns ? std::optional((*breakdowns)[i]) : std::nullopt});
  }
  record.noBreakdown = breakdowns.absence();
  if (record.noBreakdown) return record;

  DeviceUses uses(timeline);
  const int64_t originNs = timeline.clockOriginNs;
  for (EventIndex event = 0; event < timeline.size(); ++event)
    if (timeline.isSelected(event) && uses.of(event) == DeviceUse::Computation)
      record.computation.push_back({originNs + timeline.startNs[event], originNs + timeline.endNs(event)});
  record.computation = unionOf(std::move(record.computation));
  record.computation.shrink_to_fit();

  std::map<CollectiveKey, uint32_t> keys;
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    if (timeline.kind[event] != EventKind::Kernel || !timeline.isSelected(event)) continue;
    const CollectiveFacts* facts = nullptr;
    if (timeline.host)
      if (const auto found = timeline.host->collectives.find(event); found != timeline.host->collectives.end())
        facts = &found->second;
    if (!facts && uses.of(event) != DeviceUse::Communication) continue;
    const auto [key, isNew] = keys.emplace(keyOf(timeline, event, facts), static_cast<uint32_t>(record.keys.size()));
    if (isNew) record.keys.push_back(key->first);
    record.calls.push_back({key->second, *stepOf[static_cast<size_t>(timeline.iteration[event])],
                            facts ? facts->sequence : -1, timeline.clockOriginNs + timeline.startNs[event],
                            timeline.durationNs[event]});
  }
  return record;
}

CommonSteps commonSteps(std::span<const RankRecord> ranks) {
  std::map<StepName, size_t> ranksWith;
  for (const RankRecord& rank : ranks)
    for (const Step& step : rank.steps) ++ranksWith[step.name];
  CommonSteps common;
  std::map<StepName, uint32_t> positionOf;
  for (const Step& step : ranks.front().steps) {
    if (ranksWith.at(step.name) != ranks.size()) continue;
    positionOf.emplace(step.name, static_cast<uint32_t>(common.steps.size()));
    common.steps.push_back(step.name);
  }
  for (const RankRecord& rank : ranks) {
    auto& positions = common.positions.emplace_back();
    for (const Step& step : rank.steps) {
      const auto found = positionOf.find(step.name);
      positions.push_back(found == positionOf.end() ? std::nullopt : std::optional(found->second));
    }
  }
  return common;
}

}  // namespace amdahlc::ranks

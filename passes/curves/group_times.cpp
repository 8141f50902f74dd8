#include "passes/curves/group_times.h"

#include <algorithm>
#include <map>

#include "ir/facets/timed.h"
#include "passes/manager/ratios.h"
#include "passes/timing/timing_analysis.h"
#include "support/statistics.h"

namespace amdahlc {

GroupTimesPredictor::GroupTimesPredictor(const ir::Module& module, const PredictedRun& run,
                                         const std::vector<TimedGroup>& groups)
    : cover_(module.cover(run.cover)), groups_(groups) {
  const ir::Cover& cover = cover_;
  const Timeline& timeline = *module.findTimeline(cover.traceLabel);
  size_ = timeline.size();
  const ir::RunTimes& timed = cover.facets.get<ir::TimedFacet>()->run;
  measuredBusyNs_ = static_cast<double>(sum(timed.busyNs));
  if (timed.wallNs) measuredWallNs_ = static_cast<double>(sum(*timed.wallNs));
  if (run.model != nullptr) {
    size_ += run.model->calls.calls().size();
    replay_.emplace(*run.model, *run.schedule, cover);
    return;
  }
  std::map<std::vector<bool>, schedule::EventClass> known;
  const auto classOf = [&](const std::vector<bool>& membership) {
    const auto [entry, isNew] = known.emplace(membership, static_cast<schedule::EventClass>(known.size()));
    if (isNew) isMember_.push_back(membership);
    return entry->second;
  };
  std::vector<std::vector<bool>> memberships(cover.kernels.size(), std::vector<bool>(groups.size()));
  std::vector<bool> unbound(groups.size());
  for (size_t group = 0; group < groups.size(); ++group) {
    for (const ir::KernelId kernel : groups[group].kernels) memberships[kernel.index()][group] = true;
    unbound[group] = groups[group].hasUnbound;
  }
  std::vector<schedule::EventClass> classes;
  for (const ir::KernelId owner : eventOwners(timeline, cover))
    classes.push_back(classOf(owner == kUnboundOwner ? unbound : memberships[owner.index()]));
  segments_.emplace(timeline, classes);
}

GroupTimes GroupTimesPredictor::withIdleKept(std::span<const GroupFactor> factors) const {
  std::vector<Rational> ofClasses(isMember_.size(), Rational::of(1));
  for (const GroupFactor& one : factors)
    for (schedule::EventClass index = 0; index < ofClasses.size(); ++index)
      if (isMember_[index][one.group]) ofClasses[index] = one.factor;
  GroupTimes times;
  times.busyNs = segments_->busyNs(ofClasses);
  if (measuredWallNs_) times.wallNs = wallWithBusy(*measuredWallNs_, measuredBusyNs_, times.busyNs);
  return times;
}

GroupTimes GroupTimesPredictor::timesUnder(std::span<const GroupFactor> factors) const {
  ++predictions_;
  if (!replay_) return withIdleKept(factors);
  RunChanges changes{{{cover_.kernels.size(), Rational::of(1)}, Rational::of(1)}, {}};
  for (const GroupFactor& one : factors) {
    const TimedGroup& group = groups_[one.group];
    for (const ir::KernelId kernel : group.kernels) changes.device.kernels[kernel] = one.factor;
    if (group.hasUnbound) changes.device.unbound = one.factor;
    if (group.hasHost) changes.other.host = one.factor;
    if (group.hasLaunches) changes.other.launches = one.factor;
    if (!group.hostOperator.empty()) changes.other.operators[group.hostOperator] = one.factor;
  }
  // No factor is above 1, and so the prediction is known.
  const ReplayPrediction prediction = replay_->predict(changes);
  GroupTimes times;
  times.busyNs = static_cast<double>(prediction.busyNs);
  times.wallNs = static_cast<double>(prediction.wallNs);
  times.caution = prediction.caution;
  if (prediction.windowNs) times.windowNs = static_cast<double>(*prediction.windowNs);
  return times;
}

}  // namespace amdahlc

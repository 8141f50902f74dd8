#include "replay/scenario/group_times.h"

#include <algorithm>
#include <map>

namespace amdahlc {

GroupTimesPredictor::GroupTimesPredictor(const schedule::Predictor& predictor, const ScenarioRun& run,
                                         const std::vector<TimedGroup>& groups)
    : groups_(groups), predictor_(predictor), run_(run) {
  if (model() == schedule::WallModel::Replay) return;
  std::map<std::vector<bool>, schedule::EventClass> known;
  const auto classOf = [&](const std::vector<bool>& membership) {
    const auto [entry, isNew] = known.emplace(membership, static_cast<schedule::EventClass>(known.size()));
    if (isNew) isMember_.push_back(membership);
    return entry->second;
  };
  std::vector<std::vector<bool>> memberships(run.kernelNs.size(), std::vector<bool>(groups.size()));
  std::array<std::vector<bool>, kPhaseCount> unbound;
  unbound.fill(std::vector<bool>(groups.size()));
  for (size_t group = 0; group < groups.size(); ++group) {
    if (groups[group].forward) continue;
    for (const KernelId kernel : groups[group].kernels) memberships[kernel.index()][group] = true;
    for (size_t phase = 0; phase < kPhaseCount; ++phase) unbound[phase][group] = groups[group].unbound[phase];
  }
  std::vector<schedule::EventClass> classes;
  const EventKeys& keys = run_.events;
  for (EventIndex event = 0; event < keys.owners.size(); ++event) {
    const KernelId owner = keys.owners[event];
    std::vector<bool> membership =
        owner == kUnboundOwner ? unbound[static_cast<size_t>(keys.phase(event))] : memberships[owner.index()];
    for (size_t group = 0; group < groups.size(); ++group)
      if (groups[group].forward) membership[group] = keys.forwards[event] == *groups[group].forward;
    classes.push_back(classOf(membership));
  }
  segments_.emplace(predictor.timeline(), classes, predictor.undisturbed());
}

void GroupTimesPredictor::begin(int64_t mostNew) const {
  predictions_ = 0;
  mostNew_ = mostNew;
  isStopped_ = false;
}

schedule::PredictedTimes GroupTimesPredictor::timesUnder(std::span<const GroupFactor> factors) const {
  ++predictions_;
  const std::vector<GroupFactor> key(factors.begin(), factors.end());
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  if (mostNew_ <= 0) {
    isStopped_ = true;
    return predictor_.base();
  }
  --mostNew_;
  return known_.emplace(key, predict(factors)).first->second;
}

schedule::PredictedTimes GroupTimesPredictor::predict(std::span<const GroupFactor> factors) const {
  if (segments_) {
    std::vector<Rational> ofClasses(isMember_.size(), Rational::of(1));
    for (const GroupFactor& one : factors)
      for (schedule::EventClass index = 0; index < ofClasses.size(); ++index)
        if (isMember_[index][one.group] && !groups_[one.group].forward) ofClasses[index] = one.factor;
    for (const GroupFactor& one : factors)
      for (schedule::EventClass index = 0; index < ofClasses.size(); ++index)
        if (isMember_[index][one.group] && groups_[one.group].forward) ofClasses[index] = ofClasses[index] * one.factor;
    return predictor_.withIdleKept(segments_->busyNs(ofClasses));
  }
  RunChanges changes{DeviceFactors(run_.kernelNs.size())};
  for (const GroupFactor& one : factors) {
    const TimedGroup& group = groups_[one.group];
    if (group.forward) {
      std::vector<Rational>& forwards = changes.device.forwards;
      forwards.resize(std::max<size_t>(forwards.size(), *group.forward + 1), Rational::of(1));
      forwards[*group.forward] = one.factor;
      continue;
    }
    for (const KernelId kernel : group.kernels) changes.device.kernels[kernel] = one.factor;
    for (size_t phase = 0; phase < kPhaseCount; ++phase)
      if (group.unbound[phase]) changes.device.unbound[phase] = one.factor;
    if (group.hasHost) changes.other.host = one.factor;
    if (group.hasLaunches) changes.other.launches = one.factor;
    if (!group.hostOperator.empty()) changes.other.named[group.hostOperator] = one.factor;
  }
  // No factor is above 1, and so the prediction is known.
  return *amdahlc::predict(predictor_, run_.events, changes);
}

}  // namespace amdahlc

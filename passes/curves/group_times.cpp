#include "passes/curves/group_times.h"

#include <map>

#include "passes/timing/timing_analysis.h"

namespace amdahlc {

GroupTimesPredictor::GroupTimesPredictor(const RunPredictor& predictor, const std::vector<TimedGroup>& groups)
    : groups_(groups), predictor_(predictor) {
  if (model() == schedule::WallModel::Replay) return;
  std::map<std::vector<bool>, schedule::EventClass> known;
  const auto classOf = [&](const std::vector<bool>& membership) {
    const auto [entry, isNew] = known.emplace(membership, static_cast<schedule::EventClass>(known.size()));
    if (isNew) isMember_.push_back(membership);
    return entry->second;
  };
  std::vector<std::vector<bool>> memberships(predictor.noChanges().device.kernels.size(),
                                             std::vector<bool>(groups.size()));
  std::vector<bool> unbound(groups.size());
  for (size_t group = 0; group < groups.size(); ++group) {
    for (const ir::KernelId kernel : groups[group].kernels) memberships[kernel.index()][group] = true;
    unbound[group] = groups[group].hasUnbound;
  }
  std::vector<schedule::EventClass> classes;
  for (const ir::KernelId owner : predictor_.owners())
    classes.push_back(classOf(owner == kUnboundOwner ? unbound : memberships[owner.index()]));
  segments_.emplace(predictor.times().timeline(), classes, predictor.times().undisturbed());
}

schedule::PredictedTimes GroupTimesPredictor::timesUnder(std::span<const GroupFactor> factors) const {
  ++predictions_;
  if (segments_) {
    std::vector<Rational> ofClasses(isMember_.size(), Rational::of(1));
    for (const GroupFactor& one : factors)
      for (schedule::EventClass index = 0; index < ofClasses.size(); ++index)
        if (isMember_[index][one.group]) ofClasses[index] = one.factor;
    return predictor_.times().withIdleKept(segments_->busyNs(ofClasses));
  }
  RunChanges changes = predictor_.noChanges();
  for (const GroupFactor& one : factors) {
    const TimedGroup& group = groups_[one.group];
    for (const ir::KernelId kernel : group.kernels) changes.device.kernels[kernel] = one.factor;
    if (group.hasUnbound) changes.device.unbound = one.factor;
    if (group.hasHost) changes.other.host = one.factor;
    if (group.hasLaunches) changes.other.launches = one.factor;
    if (!group.hostOperator.empty()) changes.other.operators[group.hostOperator] = one.factor;
  }
  // No factor is above 1, and so the prediction is known.
  return *predictor_.predict(changes);
}

}  // namespace amdahlc

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
  std::array<std::vector<bool>, kPhaseCount> unbound;
  unbound.fill(std::vector<bool>(groups.size()));
  for (size_t group = 0; group < groups.size(); ++group) {
    for (const ir::KernelId kernel : groups[group].kernels) memberships[kernel.index()][group] = true;
    for (size_t phase = 0; phase < kPhaseCount; ++phase) unbound[phase][group] = groups[group].unbound[phase];
  }
  std::vector<schedule::EventClass> classes;
  for (EventIndex event = 0; event < predictor_.owners().size(); ++event) {
    const ir::KernelId owner = predictor_.owners()[event];
    const Phase phase = predictor_.phases().empty() ? Phase::Other : predictor_.phases()[event];
    classes.push_back(
        classOf(owner == kUnboundOwner ? unbound[static_cast<size_t>(phase)] : memberships[owner.index()]));
  }
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
    for (size_t phase = 0; phase < kPhaseCount; ++phase)
      if (group.unbound[phase]) changes.device.unbound[phase] = one.factor;
    if (group.hasHost) changes.other.host = one.factor;
    if (group.hasLaunches) changes.other.launches = one.factor;
    if (!group.hostOperator.empty()) changes.other.named[group.hostOperator] = one.factor;
  }
  // No factor is above 1, and so the prediction is known.
  return *predictor_.predict(changes);
}

}  // namespace amdahlc

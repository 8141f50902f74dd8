#include "replay/module/offer.h"

#include <algorithm>
#include <set>

#include "support/limits.h"

namespace amdahlc {
namespace {

void setTime(const OfferedChange& change, const ChosenChange& chosen, const Offer& offer, RunScenario& scenario) {
  const Rational& factor = chosen.factor;
  switch (change.subject) {
    case ChangeSubject::Kernels:
      for (const KernelId kernel : change.kernels)
        if (chosen.number)
          scenario.setKernelNs(kernel, *chosen.number, offer.iterations);
        else
          scenario.setKernel(kernel, factor);
      return;
    case ChangeSubject::Device:
      return scenario.setDevice(factor);
    case ChangeSubject::Phase:
      return scenario.setPhase(static_cast<Phase>(change.value), factor);
    case ChangeSubject::Forwards:
      return scenario.setForwards(change.value, factor);
    case ChangeSubject::Host:
      return scenario.setHost(factor);
    case ChangeSubject::Launches:
      return scenario.setLaunches(factor);
    case ChangeSubject::HostWork:
      return scenario.setHostWork(change.name, factor);
    case ChangeSubject::Waits:
      return scenario.dropWaits(change.waits);
    default:
      return;
  }
}

class Maker {
 public:
  Maker(std::span<const ChosenChange> chosen, const Offer& offer, RunScenario& scenario)
      : chosen_(chosen), offer_(offer), scenario_(scenario) {}

  Conflict make() {
    forEach(ChangeOrder::NewTime, [&](const OfferedChange& one, const ChosenChange& chosen) {
      setTime(one, chosen, offer_, scenario_);
      return Conflict::None;
    });
    forEach(ChangeOrder::Batch, [&](const OfferedChange& one, const ChosenChange&) { return setBatch(one.value); });
    forEach(ChangeOrder::Remove, [&](const OfferedChange& one, const ChosenChange&) {
      remove(one);
      return Conflict::None;
    });
    std::vector<FusedGroup> fused;
    std::set<KernelId> parts;
    forEach(ChangeOrder::Fuse, [&](const OfferedChange& one, const ChosenChange&) {
      bool isAny = false;
      for (const FusedGroup& group : one.fused[batch_]) {
        for (const FusedPart& part : group.parts)
          if (!parts.insert(part.kernel).second) return Conflict::SharedKernels;
        isAny |=
            std::ranges::count_if(group.parts, [&](const FusedPart& part) { return scenario_.runs(part.kernel); }) > 1;
        fused.push_back(group);
      }
      return isAny ? Conflict::None : Conflict::NothingToFuse;
    });
    if (found_ == Conflict::None && !scenario_.fuse(fused)) found_ = Conflict::TooLong;
    forEach(ChangeOrder::OverlapCopies, [&](const OfferedChange&, const ChosenChange&) {
      scenario_.overlapCopies();
      return Conflict::None;
    });
    forEach(ChangeOrder::Move, [&](const OfferedChange& one, const ChosenChange& chosen) {
      return scenario_.move(one.kernels, chosen.number, offer_.needs) ? Conflict::None : Conflict::NoStream;
    });
    capture();
    return found_;
  }

 private:
  /// Visits the chosen changes of a kind until one finds a conflict.
  template <typename Visit>
  void forEach(ChangeOrder order, const Visit& visit) {
    for (const ChosenChange& one : chosen_)
      if (found_ == Conflict::None && one.order == order) found_ = visit(offer_.changes[one.change], one);
  }

  Conflict setBatch(uint32_t place) {
    if (batch_ > 0) return Conflict::SeveralBatches;
    batch_ = place + 1;
    const OfferedBatch& batch = offer_.batches[place];
    scenario_.setBatch(batch.ratio, [&](KernelId kernel) { return batch.factors[kernel.index()]; });
    return Conflict::None;
  }

  void remove(const OfferedChange& change) {
    std::vector<KernelId> timed;
    for (const KernelId kernel : change.kernels)
      if (scenario_.timeOf(kernel) > 0) timed.push_back(kernel);
    scenario_.remove(timed);
  }

  void capture() {
    schedule::EventSet captured;
    forEach(ChangeOrder::Graph, [&](const OfferedChange& one, const ChosenChange&) {
      const schedule::EventSet events =
          one.subject == ChangeSubject::AllLaunches ? scenario_.allEvents() : scenario_.eventsOf(one.kernels);
      captured.resize(events.size());
      for (size_t event = 0; event < events.size(); ++event)
        if (events[event]) captured[event] = true;
      return Conflict::None;
    });
    if (!captured.empty()) scenario_.capture(captured);
  }

  std::span<const ChosenChange> chosen_;
  const Offer& offer_;
  RunScenario& scenario_;
  Conflict found_ = Conflict::None;
  /// 0, or the place of the batch and 1.
  size_t batch_ = 0;
};

}  // namespace

bool takes(ChangeSubject subject, ChangeOrder order) {
  switch (order) {
    case ChangeOrder::NewTime:
      return subject <= ChangeSubject::HostWork || subject == ChangeSubject::Waits;
    case ChangeOrder::Batch:
      return subject == ChangeSubject::Batch;
    case ChangeOrder::Remove:
    case ChangeOrder::Move:
      return subject == ChangeSubject::Kernels;
    case ChangeOrder::Fuse:
      return subject == ChangeSubject::Fused;
    case ChangeOrder::OverlapCopies:
      return subject == ChangeSubject::Copies;
    case ChangeOrder::Graph:
      return subject == ChangeSubject::AllLaunches || subject == ChangeSubject::Kernels;
  }
  return false;
}

bool takes(const Offer& offer, const ChosenChange& chosen) {
  if (chosen.change >= offer.changes.size()) return false;
  const OfferedChange& change = offer.changes[chosen.change];
  if (!takes(change.subject, chosen.order)) return false;
  const bool isKernels = change.subject == ChangeSubject::Kernels;
  if (chosen.number && (!isKernels || *chosen.number < 0 || *chosen.number > limits::kTimeNs / offer.iterations))
    return false;
  if (chosen.order != ChangeOrder::NewTime) return true;
  return isKernels ? change.value == 0 : change.subject != ChangeSubject::Waits || chosen.factor.isZero();
}

TimedGroup timedGroupOf(const OfferedChange& change, const ScenarioRun& run) {
  TimedGroup group;
  const bool isDevice = change.subject == ChangeSubject::Device, isPhase = change.subject == ChangeSubject::Phase;
  if (isDevice) group.unbound.fill(true);
  if (isPhase) group.unbound[change.value] = true;
  for (const KernelId kernel : run.kernelNs.ids())
    if (run.kernelNs[kernel] > 0 &&
        (isDevice || (isPhase && run.phases[kernel] == static_cast<Phase>(change.value)) ||
         (change.subject == ChangeSubject::Kernels && std::ranges::binary_search(change.kernels, kernel))))
      group.kernels.push_back(kernel);
  if (change.subject == ChangeSubject::Forwards) group.forward = change.value;
  group.hasHost = change.subject == ChangeSubject::Host;
  group.hasLaunches = change.subject == ChangeSubject::Launches;
  group.hostOperator = change.name;
  return group;
}

Conflict make(std::span<const ChosenChange> chosen, const Offer& offer, RunScenario& scenario) {
  return Maker(chosen, offer, scenario).make();
}

}  // namespace amdahlc

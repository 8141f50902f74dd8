#include "replay/scenario/run_scenario.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "replay/schedule/dropped_waits.h"
#include "replay/schedule/scaled_time.h"
#include "support/limits.h"

namespace amdahlc {

int64_t FusedPart::savedNs(int64_t ownNs) const {
  if (bytes == 0) return 0;
  const double shareNs = static_cast<double>(ownNs) * static_cast<double>(insideBytes) / static_cast<double>(bytes);
  return std::llround(std::min(shareNs, memoryNs));
}

RunScenario::RunScenario(const ScenarioRun& run, const schedule::RunModel* model)
    : run_(run), model_(model), changes_{DeviceFactors(run.kernelNs.size())} {}

schedule::EventSet RunScenario::eventsOf(std::span<const KernelId> kernels) const {
  IdVector<KernelId, bool> isSelected(run_.kernelNs.size(), false);
  for (const KernelId kernel : kernels) isSelected[kernel] = true;
  schedule::EventSet events;
  for (const KernelId owner : run_.events.owners) events.push_back(owner != kUnboundOwner && isSelected[owner]);
  return events;
}

bool RunScenario::setKernelNs(KernelId kernel, int64_t ns, int64_t iterations) {
  if (ns != 0 && timeOf(kernel) == 0) return false;
  setKernel(kernel, ns == 0 ? Rational::of(0) : Rational::of(ns, timeOf(kernel)) * Rational::of(iterations));
  return true;
}

void RunScenario::setDevice(const Rational& factor) {
  changes_.device.unbound.fill(factor);
  for (const KernelId kernel : run_.kernelNs.ids())
    if (timeOf(kernel) > 0) setKernel(kernel, factor);
}

void RunScenario::setPhase(Phase phase, const Rational& factor) {
  changes_.device.unbound[static_cast<size_t>(phase)] = factor;
  for (const KernelId kernel : run_.kernelNs.ids())
    if (run_.phases[kernel] == phase && timeOf(kernel) > 0) setKernel(kernel, factor);
}

void RunScenario::setForwards(size_t group, const Rational& factor) {
  changes_.device.forwards.resize(run_.forwardGroups, Rational::of(1));
  changes_.device.forwards[group] = factor;
}

void RunScenario::setHostWork(std::string_view name, const Rational& factor) {
  changes_.other.named[std::string(name)] = factor;
}

void RunScenario::dropWaits(std::string_view name) {
  if (model_ != nullptr) schedule::dropWaits(*model_, name, changes_.other);
}

void RunScenario::dropWaits(std::span<const HostEventId> waits) {
  if (model_ != nullptr) schedule::dropWaits(*model_, waits, changes_.other);
}

size_t RunScenario::setBatch(const Rational& batch, const std::function<std::optional<Rational>(KernelId)>& factorOf) {
  DeviceFactors& device = changes_.device;
  for (Rational& factor : device.unbound) factor = factor * batch;
  size_t guessed = 0;
  for (const KernelId kernel : run_.kernelNs.ids()) {
    if (timeOf(kernel) == 0) continue;
    const auto factor = factorOf(kernel);
    guessed += !factor;
    setKernel(kernel, device.kernels[kernel] * factor.value_or(batch));
  }
  return guessed;
}

void RunScenario::remove(std::span<const KernelId> kernels) {
  if (kernels.empty()) return;
  for (const KernelId kernel : kernels) setKernel(kernel, Rational::of(0));
  if (model_ != nullptr) schedule::removeEvents(*model_, eventsOf(kernels), changes_.other);
}

bool RunScenario::fuse(std::span<const FusedGroup> groups) {
  std::vector<KernelId> removed;
  for (const FusedGroup& group : groups)
    if (!fuse(group, removed)) return false;
  remove(removed);
  return true;
}

bool RunScenario::fuse(const FusedGroup& group, std::vector<KernelId>& removed) {
  std::vector<KernelId> kernels;
  int64_t totalNs = 0, separateNs = 0;
  schedule::ScaledLengths scaled;
  for (const FusedPart& part : group.parts) {
    if (!runs(part.kernel)) continue;
    kernels.push_back(part.kernel);
    const Rational& factor = changes_.device.kernels[part.kernel];
    const int64_t measuredNs = timeOf(part.kernel);
    if (static_cast<double>(measuredNs) * factor.toDouble() > static_cast<double>(limits::kTimeNs)) return false;
    const int64_t ownNs = scaled.next(measuredNs, factor, 0);
    separateNs += ownNs;
    if (separateNs > limits::kTimeNs) return false;
    totalNs += ownNs - part.savedNs(ownNs);
  }
  if (kernels.size() < 2) return true;
  const KernelId last = lastOf(kernels);
  for (const KernelId kernel : kernels)
    if (kernel != last) removed.push_back(kernel);
  setKernel(last, Rational::of(std::min(separateNs, std::max(totalNs, group.leastNs)), timeOf(last)));
  return true;
}

KernelId RunScenario::lastOf(std::span<const KernelId> kernels) {
  if (lastEvents_.empty()) {
    lastEvents_.assign(run_.kernelNs.size(), 0);
    const std::vector<KernelId>& owners = run_.events.owners;
    for (EventIndex event = 0; event < owners.size(); ++event)
      if (owners[event] != kUnboundOwner) lastEvents_[owners[event]] = event;
  }
  return *std::ranges::max_element(kernels, {},
                                   [&](KernelId kernel) { return std::pair(lastEvents_[kernel], kernel); });
}

void RunScenario::overlapCopies() {
  if (model_ != nullptr) schedule::overlapCopies(*model_, allEvents(), changes_.other);
}

bool RunScenario::move(std::span<const KernelId> kernels, std::optional<int64_t> stream, const KernelNeeds& needs) {
  if (model_ == nullptr) return true;
  const schedule::RunCalls& calls = model_->calls;
  const schedule::StreamIndex to = stream ? calls.findStream(*stream) : schedule::newStream(calls, changes_.other);
  if (to == schedule::kNoTrack) return false;
  schedule::moveEvents(*model_, movedEvents(*model_, run_.events.owners, needs, kernels), to, changes_.other);
  return true;
}

void RunScenario::capture(const schedule::EventSet& events) {
  if (model_ != nullptr) schedule::captureGraphs(*model_, events, changes_.other);
}

schedule::EventSet RunScenario::allEvents() const {
  return model_ == nullptr ? schedule::EventSet() : schedule::allSelected(model_->calls.timeline());
}

std::optional<schedule::PredictedTimes> predict(const schedule::Predictor& predictor, const EventKeys& events,
                                                const RunChanges& changes, bool keepsIdle) {
  schedule::Changes all = changes.other;
  all.events = eventFactors(events, changes.device);
  return predictor.predict(all, keepsIdle);
}

}  // namespace amdahlc

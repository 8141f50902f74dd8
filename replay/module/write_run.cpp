#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "replay/module/run_columns.h"
#include "replay/module/run_facts.h"

namespace amdahlc {
namespace {

constexpr int64_t kNone = -1;

/// Splits a number of 64 bits, of which a column holds 53.
int64_t higherOf(uint64_t bits) { return static_cast<int64_t>(bits >> 32); }
int64_t lowerOf(uint64_t bits) { return static_cast<int64_t>(bits & 0xffff'ffff); }

/// Texts that a replay asks for what they mean are written; of others only that they are one.
class TextColumns {
 public:
  TextColumns(const Timeline& timeline, RunColumns& out)
      : timeline_(timeline), out_(out), numbers_(timeline.strings.size(), kNone) {
    numbers_[0] = add("");
  }

  int64_t add(std::string_view text) {
    for (const char byte : text) out_[RunColumn::Texts].push_back(static_cast<unsigned char>(byte));
    out_[RunColumn::TextEnds].push_back(static_cast<int64_t>(out_[RunColumn::Texts].size()));
    return next_++;
  }
  int64_t of(Symbol symbol, bool hasMeaning) {
    int64_t& number = numbers_[symbol.index];
    if (number == kNone) number = add(hasMeaning ? timeline_.text(symbol) : std::string_view());
    return number;
  }

 private:
  const Timeline& timeline_;
  RunColumns& out_;
  std::vector<int64_t> numbers_;
  int64_t next_ = 0;
};

class Writer {
 public:
  explicit Writer(const WrittenRun& run) : run_(run), timeline_(run.timeline), texts_(run.timeline, out_) {}

  RunColumns write() {
    chooseHostEvents();
    originNs_ = origin();
    // Names with a meaning come first, because a name is written once.
    writeHostEvents();
    writeEvents();
    for (const Track& track : timeline_.tracks) add(RunColumn::Tracks, texts_.add(track.thread));
    for (const Recording& recording : timeline_.recordings)
      add(RunColumn::RecordingStarts, recording.startNs - originNs_);
    for (const Iteration& one : timeline_.iterations) {
      add(RunColumn::IterationStarts, one.startNs ? *one.startNs - originNs_ : kNone);
      add(RunColumn::IterationEnds, one.endNs ? *one.endNs - originNs_ : kNone);
      add(RunColumn::IterationNames, texts_.of(timeline_.strings.find(one.name), true));
      add(RunColumn::IterationSelected, one.selected());
    }
    for (const KernelId kernel : run_.kernels.kernelNs.ids()) {
      add(RunColumn::KernelTimes, run_.kernels.kernelNs[kernel]);
      const auto phase = run_.kernels.phases[kernel];
      add(RunColumn::KernelPhases, phase ? static_cast<int64_t>(*phase) : kNone);
    }
    for (const OfferedChange& change : run_.offer.changes) writeChange(change);
    for (const OfferedBatch& batch : run_.offer.batches) writeBatch(batch);
    for (const uint32_t group : run_.offer.groups) add(RunColumn::Groups, group);
    if (run_.model != nullptr) writeNeeds(run_.offer.needs);
    writeFacts();
    return std::move(out_);
  }

 private:
  void add(RunColumn column, int64_t value) { out_[column].push_back(value); }

  bool isIteration(HostEventId event) const {
    const HostFacts& host = *timeline_.host;
    return std::ranges::any_of(timeline_.iterations, [&](const Iteration& one) {
      return one.startNs == host.startNs[event] && one.endNs == host.endNs(event);
    });
  }

  /// Whether the model of the run looks at the event.
  bool isNeeded(HostEventId event, const std::set<std::string_view>& offered) const {
    const HostFacts& host = *timeline_.host;
    const EventKind kind = host.kind[event];
    if (run_.model == nullptr) return offered.contains(timeline_.text(host.name[event])) && schedule::isNamedWork(kind);
    if (kind == EventKind::Runtime) return true;
    if (kind == EventKind::Synchronization) return host.waitFactsOf(event) != nullptr;
    if (kind == EventKind::Annotation && isIteration(event)) return true;
    if (run_.model->calls.threadOf(event) == schedule::kNoTrack) return false;
    return kind == EventKind::Operator || kind == EventKind::ModuleFrame ||
           offered.contains(timeline_.text(host.name[event]));
  }

  bool hasHostEvents() const { return run_.model != nullptr || run_.oneThread != nullptr; }

  void chooseHostEvents() {
    if (!hasHostEvents()) return;
    const HostFacts& host = *timeline_.host;
    std::set<std::string_view> offered;
    for (const OfferedChange& change : run_.offer.changes)
      if (change.subject == ChangeSubject::HostWork) offered.insert(change.name);
    // The first and the last moment of the run stay.
    HostEventId last;
    for (const HostEventId event : host.kind.ids())
      if (last.isNone() || host.endNs(event) > host.endNs(last)) last = event;
    placeOf_.resize(host.size(), kNone);
    for (const HostEventId event : host.kind.ids()) {
      if (event.index() != 0 && event != last && !isNeeded(event, offered)) continue;
      placeOf_[event] = static_cast<int64_t>(hostEvents_.size());
      hostEvents_.push_back(event);
    }
  }

  int64_t origin() const {
    int64_t first = timeline_.size() > 0 ? timeline_.startNs.front() : 0;
    if (!hostEvents_.empty()) first = std::min(first, timeline_.host->startNs[hostEvents_.front()]);
    for (const Recording& recording : timeline_.recordings) first = std::min(first, recording.startNs);
    for (const Iteration& one : timeline_.iterations)
      if (one.startNs) first = std::min({first, *one.startNs, one.endNs.value_or(*one.startNs)});
    return first;
  }

  /// Of correlations it only counts which are the same. Those of a trace may have 64 bits, and columns have 53.
  int64_t numberOf(int64_t correlation) {
    if (correlation < 0) return kNone;
    return numberOf_.emplace(correlation, static_cast<int64_t>(numberOf_.size())).first->second;
  }

  int64_t streamOf(int64_t number) {
    if (number < int64_t{1} << 53) return std::max(number, kNone);
    const auto bits = std::bit_cast<uint64_t>(number);
    add(RunColumn::WideStreams, higherOf(bits));
    add(RunColumn::WideStreams, lowerOf(bits));
    return kNone - static_cast<int64_t>(out_[RunColumn::WideStreams].size() / 2);
  }

  void writeHostEvents() {
    if (!hasHostEvents()) return;
    const HostFacts& host = *timeline_.host;
    std::set<std::string_view> meant;
    for (const OfferedChange& change : run_.offer.changes)
      if (change.subject == ChangeSubject::HostWork) meant.insert(change.name);
    for (const Iteration& one : timeline_.iterations) meant.insert(one.name);
    const bool hasWaits = std::ranges::any_of(hostEvents_, [&](HostEventId event) { return host.waitFactsOf(event); });
    // All events of a name are written alike: one of them may be a call.
    for (const HostEventId event : hostEvents_)
      if (host.kind[event] == EventKind::Runtime || meant.contains(timeline_.text(host.name[event])))
        texts_.of(host.name[event], true);
    for (const HostEventId event : hostEvents_) {
      add(RunColumn::HostStarts, host.startNs[event] - originNs_);
      add(RunColumn::HostDurations, host.durationNs[event]);
      add(RunColumn::HostNames, texts_.of(host.name[event], false));
      add(RunColumn::HostKinds, static_cast<int64_t>(host.kind[event]));
      add(RunColumn::HostTracks, host.track[event]);
      if (hasWaits) add(RunColumn::HostCorrelations, numberOf(host.correlation[event]));
      const WaitFacts* wait = host.waitFactsOf(event);
      if (wait == nullptr) continue;
      add(RunColumn::WaitEvents, placeOf_[event]);
      add(RunColumn::WaitStreams, streamOf(wait->stream));
      add(RunColumn::WaitSources, streamOf(wait->sourceStream));
      add(RunColumn::WaitRecords, numberOf(wait->recordCorrelation));
    }
  }

  void writeEvents() {
    const EventKeys& keys = run_.kernels.events;
    const bool isDisturbed =
        std::ranges::any_of(run_.undisturbed, [](const Rational& factor) { return factor != Rational::of(1); });
    for (EventIndex event = 0; event < timeline_.size(); ++event)
      if (timeline_.kind[event] == EventKind::Copy) texts_.of(timeline_.name[event], true);
    for (EventIndex event = 0; event < timeline_.size(); ++event) {
      add(RunColumn::EventStarts, timeline_.startNs[event] - originNs_);
      add(RunColumn::EventDurations, timeline_.durationNs[event]);
      add(RunColumn::EventNames, texts_.of(timeline_.name[event], false));
      add(RunColumn::EventKinds, static_cast<int64_t>(timeline_.kind[event]));
      add(RunColumn::EventTracks, timeline_.track[event]);
      add(RunColumn::EventIterations, timeline_.iteration[event]);
      const KernelId owner = keys.owners[event];
      add(RunColumn::EventKernels, owner == kUnboundOwner ? kNone : owner.index());
      if (!keys.phases.empty()) add(RunColumn::EventPhases, static_cast<int64_t>(keys.phases[event]));
      if (!keys.forwards.empty())
        add(RunColumn::EventForwards, std::min<size_t>(keys.forwards[event], run_.kernels.forwardGroups));
      if (isDisturbed) {
        add(RunColumn::EventNumerators, run_.undisturbed[event].numerator);
        add(RunColumn::EventDenominators, run_.undisturbed[event].denominator);
      }
      if (run_.model == nullptr) continue;
      const HostEventId launch = timeline_.host->launchCall(event);
      add(RunColumn::EventLaunches, launch.isNone() ? kNone : placeOf_[launch]);
    }
  }

  void writeChange(const OfferedChange& change) {
    add(RunColumn::ChangeSubjects, static_cast<int64_t>(change.subject));
    const bool hasName = change.subject == ChangeSubject::HostWork;
    add(RunColumn::ChangeValues, hasName ? texts_.of(timeline_.strings.find(change.name), true) : change.value);
    for (const KernelId kernel : change.kernels) add(RunColumn::ChangeKernels, kernel.index());
    add(RunColumn::ChangeKernelEnds, static_cast<int64_t>(out_[RunColumn::ChangeKernels].size()));
    for (const HostEventId wait : change.waits) add(RunColumn::ChangeWaits, placeOf_[wait]);
    add(RunColumn::ChangeWaitEnds, static_cast<int64_t>(out_[RunColumn::ChangeWaits].size()));
    if (change.subject != ChangeSubject::Fused) return;
    for (const std::vector<FusedGroup>& groups : change.fused) {
      for (const FusedGroup& group : groups) writeGroup(group);
      add(RunColumn::FusedEnds, static_cast<int64_t>(out_[RunColumn::FusedLeast].size()));
    }
  }

  void writeGroup(const FusedGroup& group) {
    for (const FusedPart& part : group.parts) {
      add(RunColumn::PartKernels, part.kernel.index());
      add(RunColumn::PartInside, part.insideBytes);
      add(RunColumn::PartBytes, part.bytes);
      const auto bits = std::bit_cast<uint64_t>(part.memoryNs);
      add(RunColumn::PartMemoryHigh, higherOf(bits));
      add(RunColumn::PartMemoryLow, lowerOf(bits));
    }
    add(RunColumn::FusedPartEnds, static_cast<int64_t>(out_[RunColumn::PartKernels].size()));
    add(RunColumn::FusedLeast, group.leastNs);
  }

  void writeBatch(const OfferedBatch& batch) {
    add(RunColumn::BatchNumerators, batch.ratio.numerator);
    add(RunColumn::BatchDenominators, batch.ratio.denominator);
    for (const std::optional<Rational>& factor : batch.factors) {
      add(RunColumn::BatchKernelNumerators, factor ? factor->numerator : 0);
      add(RunColumn::BatchKernelDenominators, factor ? factor->denominator : 0);
    }
  }

  void writeNeeds(const KernelNeeds& needs) {
    for (const KernelId kernel : needs.isKnown.ids()) {
      add(RunColumn::KernelNeedsKnown, needs.isKnown[kernel]);
      for (const KernelId need : needs.needs[kernel]) add(RunColumn::KernelNeedsKernels, need.index());
      add(RunColumn::KernelNeedsEnds, static_cast<int64_t>(out_[RunColumn::KernelNeedsKernels].size()));
    }
  }

  void writeFacts() {
    std::vector<int64_t>& facts = out_[RunColumn::Facts];
    facts.assign(kRunFactCount, 0);
    const auto set = [&](RunFact fact, int64_t value) { facts[static_cast<size_t>(fact)] = value; };
    set(RunFact::Version, kRunColumnsVersion);
    set(RunFact::OriginHigh, higherOf(std::bit_cast<uint64_t>(originNs_)));
    set(RunFact::OriginLow, lowerOf(std::bit_cast<uint64_t>(originNs_)));
    set(RunFact::HasStarts, timeline_.hasStarts);
    set(RunFact::IsMean, timeline_.average == Average::Mean);
    set(RunFact::IsReplayed, run_.model != nullptr);
    set(RunFact::IsOfOneThread, run_.oneThread != nullptr);
    set(RunFact::Iterations, run_.offer.iterations);
    set(RunFact::ForwardGroups, static_cast<int64_t>(run_.kernels.forwardGroups));
    if (run_.model == nullptr) return;
    set(RunFact::WallNs, run_.schedule->wallNs);
    set(RunFact::WindowNs, run_.schedule->windowNs.value_or(kNone));
    set(RunFact::UnexplainedNs, run_.schedule->unexplainedNs);
    set(RunFact::BeforeRecordingNs, run_.schedule->beforeRecordingNs);
    set(RunFact::StrictWallNs, run_.schedule->strict.wallNs);
    set(RunFact::KeptBusyNs, run_.schedule->unchanged.busyNs);
    set(RunFact::KeptExtentNs, run_.schedule->unchanged.extentNs);
    set(RunFact::KeptWindowNs, run_.schedule->unchanged.windowNs.value_or(kNone));
  }

  const WrittenRun& run_;
  const Timeline& timeline_;
  RunColumns out_;
  TextColumns texts_;
  int64_t originNs_ = 0;
  std::vector<HostEventId> hostEvents_;
  /// By host event its place among those that are written.
  IdVector<HostEventId, int64_t> placeOf_;
  std::map<int64_t, int64_t> numberOf_;
};

}  // namespace

RunColumns write(const WrittenRun& run) { return Writer(run).write(); }

}  // namespace amdahlc

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <string>
#include <utility>

#include "replay/module/run_columns.h"
#include "replay/module/run_facts.h"
#include "support/limits.h"

namespace amdahlc {

namespace {

int64_t joined(int64_t high, int64_t low) {
  return std::bit_cast<int64_t>(static_cast<uint64_t>(high) << 32 | (static_cast<uint64_t>(low) & 0xffff'ffff));
}

}  // namespace

int64_t originOf(const RunColumns& columns) {
  const auto word = [&](RunFact id) { return columns[RunColumn::Facts][static_cast<size_t>(id)]; };
  return joined(word(RunFact::OriginHigh), word(RunFact::OriginLow));
}

/// Reads columns that anybody may have made. After the first value that cannot be, everything that is read is 0.
class RunReader {
 public:
  explicit RunReader(const RunColumns& columns) : in_(columns) {}

  std::unique_ptr<ReadRun> read() {
    std::unique_ptr<ReadRun> run(new ReadRun());
    run_ = run.get();
    if (in_[RunColumn::Facts].size() != kRunFactCount || fact(RunFact::Version) != kRunColumnsVersion) return nullptr;
    readTexts();
    readTables();
    readEvents();
    readKernels();
    if ((isReplayed() || isOfOneThread()) && ok_) readHostEvents();
    if (ok_) readOffer();
    if (!ok_) return nullptr;
    return makeModel() ? std::move(run) : nullptr;
  }

 private:
  const std::vector<int64_t>& column(RunColumn id) const { return in_[id]; }
  int64_t fact(RunFact id) const { return in_[RunColumn::Facts][static_cast<size_t>(id)]; }
  bool isReplayed() const { return fact(RunFact::IsReplayed) != 0; }
  bool isOfOneThread() const { return !isReplayed() && fact(RunFact::IsOfOneThread) != 0; }
  bool require(bool holds) {
    ok_ = ok_ && holds;
    return ok_;
  }
  /// Whether a column has so many values, each at least `least` and below `limit`.
  bool requireColumn(RunColumn id, size_t size, int64_t least, int64_t limit) {
    const std::vector<int64_t>& values = in_[id];
    return require(values.size() == size &&
                   std::ranges::all_of(values, [&](int64_t value) { return least <= value && value < limit; }));
  }
  /// Whether a column is of ends of lists in one of `items` values.
  bool requireEnds(RunColumn id, size_t lists, size_t items) {
    const std::vector<int64_t>& ends = in_[id];
    return require(ends.size() == lists && std::ranges::is_sorted(ends) && (ends.empty() || ends.front() >= 0) &&
                   (ends.empty() ? 0 : ends.back()) == static_cast<int64_t>(items));
  }
  /// Times are so far from the origin that no sum is too large.
  bool requireTimes(RunColumn id, size_t size) { return requireColumn(id, size, 0, kLatestNs); }

  int64_t origin() const { return originOf(in_); }

  void readTexts() {
    const std::vector<int64_t>& bytes = column(RunColumn::Texts);
    const std::vector<int64_t>& ends = column(RunColumn::TextEnds);
    if (!requireColumn(RunColumn::Texts, bytes.size(), 0, 256) ||
        !requireEnds(RunColumn::TextEnds, ends.size(), bytes.size()) || !require(!ends.empty()))
      return;
    size_t at = 0;
    for (size_t number = 0; number < ends.size(); ++number) {
      std::string text;
      for (; at < static_cast<size_t>(ends[number]); ++at) text += static_cast<char>(bytes[at]);
      // A name without a meaning differs from all others.
      if (text.empty() && number > 0) {
        char digits[16];
        const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
        text = std::string("\x01").append(digits, end);
      }
      symbols_.push_back(run_->timeline_.strings.intern(text));
    }
  }

  std::string_view text(int64_t number) const { return run_->timeline_.text(symbols_[static_cast<size_t>(number)]); }
  int64_t textCount() const { return static_cast<int64_t>(symbols_.size()); }

  void readTables() {
    Timeline& timeline = run_->timeline_;
    timeline.hasStarts = fact(RunFact::HasStarts) != 0;
    timeline.hasDevice = !isOfOneThread();
    timeline.average = fact(RunFact::IsMean) != 0 ? Average::Mean : Average::Median;
    const int64_t originNs = origin();
    require(-limits::kTimeNs <= originNs && originNs <= limits::kTimeNs);
    const size_t iterations = column(RunColumn::IterationStarts).size();
    if (!requireColumn(RunColumn::Tracks, column(RunColumn::Tracks).size(), 0, textCount()) ||
        !requireTimes(RunColumn::RecordingStarts, column(RunColumn::RecordingStarts).size()) ||
        !require(std::ranges::is_sorted(column(RunColumn::RecordingStarts))) ||
        !requireColumn(RunColumn::IterationStarts, iterations, -1, kLatestNs) ||
        !requireColumn(RunColumn::IterationEnds, iterations, -1, kLatestNs) ||
        !requireColumn(RunColumn::IterationNames, iterations, 0, textCount()) ||
        !requireColumn(RunColumn::IterationSelected, iterations, 0, 2))
      return;
    for (const int64_t name : column(RunColumn::Tracks)) timeline.tracks.emplace_back().thread = text(name);
    for (const int64_t startNs : column(RunColumn::RecordingStarts))
      timeline.recordings.emplace_back().startNs = originNs + startNs;
    for (size_t i = 0; i < iterations; ++i) {
      Iteration& one = timeline.iterations.emplace_back();
      one.name = text(column(RunColumn::IterationNames)[i]);
      const int64_t startNs = column(RunColumn::IterationStarts)[i], endNs = column(RunColumn::IterationEnds)[i];
      if (startNs >= 0) one.startNs = originNs + startNs;
      if (endNs >= 0) one.endNs = originNs + endNs;
      if (column(RunColumn::IterationSelected)[i] == 0) one.leftOut = LeftOut::NotChosen;
    }
  }

  void readEvents() {
    const size_t events = column(RunColumn::EventStarts).size();
    Timeline& timeline = run_->timeline_;
    const auto tracks = static_cast<int64_t>(timeline.tracks.size());
    if (!ok_ || !requireTimes(RunColumn::EventStarts, events) ||
        !require(std::ranges::is_sorted(column(RunColumn::EventStarts))) ||
        !requireTimes(RunColumn::EventDurations, events) ||
        !requireColumn(RunColumn::EventNames, events, 0, textCount()) ||
        !requireColumn(RunColumn::EventKinds, events, 0, static_cast<int64_t>(EventKind::Other) + 1) ||
        !requireColumn(RunColumn::EventTracks, events, 0, tracks) ||
        !requireColumn(RunColumn::EventIterations, events, -1, static_cast<int64_t>(timeline.iterations.size())))
      return;
    const int64_t originNs = origin();
    for (size_t event = 0; event < events; ++event) {
      timeline.startNs.push_back(originNs + column(RunColumn::EventStarts)[event]);
      timeline.durationNs.push_back(column(RunColumn::EventDurations)[event]);
      timeline.name.push_back(symbols_[static_cast<size_t>(column(RunColumn::EventNames)[event])]);
      timeline.kind.push_back(static_cast<EventKind>(column(RunColumn::EventKinds)[event]));
      timeline.track.push_back(static_cast<uint32_t>(column(RunColumn::EventTracks)[event]));
      timeline.iteration.push_back(static_cast<int32_t>(column(RunColumn::EventIterations)[event]));
    }
    timeline.correlation.assign(events, -1);
    timeline.factsIndex.assign(events, kNoFacts);
  }

  /// Of fractions that `Rational` holds.
  bool requireFractions(RunColumn numerators, RunColumn denominators, size_t size, int64_t leastDenominator) {
    return requireColumn(numerators, size, 0, std::numeric_limits<int64_t>::max()) &&
           requireColumn(denominators, size, leastDenominator, std::numeric_limits<int64_t>::max());
  }

  void readKernels() {
    ScenarioRun& kernels = run_->kernels_;
    const size_t events = run_->timeline_.size(), count = column(RunColumn::KernelTimes).size();
    const auto phased = column(RunColumn::EventPhases).empty() ? 0 : events,
               forwarded = column(RunColumn::EventForwards).empty() ? 0 : events;
    constexpr auto kPhases = static_cast<int64_t>(kPhaseCount);
    const int64_t groups = fact(RunFact::ForwardGroups);
    if (!require(0 <= groups && groups < kMostGroups) ||
        !requireColumn(RunColumn::EventKernels, events, -1, static_cast<int64_t>(count)) ||
        !requireTimes(RunColumn::KernelTimes, count) || !requireColumn(RunColumn::KernelPhases, count, -1, kPhases) ||
        !requireColumn(RunColumn::EventPhases, phased, 0, kPhases) ||
        !requireColumn(RunColumn::EventForwards, forwarded, 0, groups + 1) ||
        !require(groups == 0 || forwarded > 0 || events == 0))
      return;
    kernels.forwardGroups = static_cast<size_t>(groups);
    for (const int64_t kernel : column(RunColumn::EventKernels))
      kernels.events.owners.push_back(kernel < 0 ? kUnboundOwner : KernelId(kernel));
    for (const int64_t phase : column(RunColumn::EventPhases))
      kernels.events.phases.push_back(static_cast<Phase>(phase));
    for (const int64_t group : column(RunColumn::EventForwards))
      kernels.events.forwards.push_back(static_cast<uint32_t>(group));
    for (const int64_t ns : column(RunColumn::KernelTimes)) kernels.kernelNs.push_back(ns);
    for (const int64_t phase : column(RunColumn::KernelPhases))
      kernels.phases.push_back(phase < 0 ? std::nullopt : std::optional(static_cast<Phase>(phase)));
  }

  int64_t streamOf(int64_t number) const {
    if (number >= -1) return number;
    const auto place = 2 * static_cast<size_t>(-2 - number);
    return joined(column(RunColumn::WideStreams)[place], column(RunColumn::WideStreams)[place + 1]);
  }

  void readHostEvents() {
    Timeline& timeline = run_->timeline_;
    const size_t events = column(RunColumn::HostStarts).size(), waits = column(RunColumn::WaitEvents).size();
    const size_t wide = column(RunColumn::WideStreams).size() / 2;
    if (!requireTimes(RunColumn::HostStarts, events) ||
        !require(std::ranges::is_sorted(column(RunColumn::HostStarts))) ||
        !requireTimes(RunColumn::HostDurations, events) ||
        !requireColumn(RunColumn::HostNames, events, 0, textCount()) ||
        !requireColumn(RunColumn::HostKinds, events, static_cast<int64_t>(EventKind::Operator),
                       static_cast<int64_t>(EventKind::Other) + 1) ||
        !requireColumn(RunColumn::HostTracks, events, 0, static_cast<int64_t>(timeline.tracks.size())) ||
        !requireColumn(RunColumn::HostCorrelations, waits > 0 ? events : 0, -1, kLatestNs) ||
        !requireColumn(RunColumn::WaitEvents, waits, 0, static_cast<int64_t>(events)) ||
        !requireColumn(RunColumn::WideStreams, 2 * wide, 0, kWord) ||
        !requireColumn(RunColumn::WaitStreams, waits, -1 - static_cast<int64_t>(wide), kLatestNs) ||
        !requireColumn(RunColumn::WaitSources, waits, -1 - static_cast<int64_t>(wide), kLatestNs) ||
        !requireColumn(RunColumn::WaitRecords, waits, -1, kLatestNs) ||
        !requireColumn(RunColumn::EventLaunches, isReplayed() ? timeline.size() : 0, -1, static_cast<int64_t>(events)))
      return;
    HostFacts& host = timeline.host.emplace();
    const int64_t originNs = origin();
    for (size_t event = 0; event < events; ++event) {
      host.startNs.push_back(originNs + column(RunColumn::HostStarts)[event]);
      host.durationNs.push_back(column(RunColumn::HostDurations)[event]);
      host.name.push_back(symbols_[static_cast<size_t>(column(RunColumn::HostNames)[event])]);
      host.kind.push_back(static_cast<EventKind>(column(RunColumn::HostKinds)[event]));
      host.track.push_back(static_cast<uint32_t>(column(RunColumn::HostTracks)[event]));
      host.correlation.push_back(waits > 0 ? column(RunColumn::HostCorrelations)[event] : -1);
    }
    host.parent.assign(events, HostEventId());
    host.iteration.assign(events, kNoIteration);
    host.factsIndex.assign(events, kNoFacts);
    for (size_t wait = 0; wait < waits; ++wait) {
      const HostEventId event(column(RunColumn::WaitEvents)[wait]);
      host.factsIndex[event] = static_cast<uint32_t>(wait);
      host.waitFacts.push_back({streamOf(column(RunColumn::WaitStreams)[wait]),
                                streamOf(column(RunColumn::WaitSources)[wait]), column(RunColumn::WaitRecords)[wait]});
    }
    bool any = false;
    for (const int64_t launch : column(RunColumn::EventLaunches)) {
      host.launch.push_back(launch < 0 ? HostEventId() : HostEventId(launch));
      any |= launch >= 0;
      require(launch < 0 || host.kind[HostEventId(launch)] == EventKind::Runtime);
    }
    // A replay begins with a call.
    require(any || !isReplayed());
  }

  void readOffer() {
    const auto kernels = static_cast<int64_t>(run_->kernels_.kernelNs.size());
    const size_t changes = column(RunColumn::ChangeSubjects).size(),
                 batches = column(RunColumn::BatchNumerators).size();
    const size_t groups = column(RunColumn::FusedLeast).size(), parts = column(RunColumn::PartKernels).size();
    const auto fusing = static_cast<size_t>(
        std::ranges::count(column(RunColumn::ChangeSubjects), static_cast<int64_t>(ChangeSubject::Fused)));
    if (!requireColumn(RunColumn::ChangeSubjects, changes, 0, static_cast<int64_t>(ChangeSubject::Waits) + 1) ||
        !requireColumn(RunColumn::ChangeValues, changes, 0, kWord) ||
        !requireColumn(RunColumn::ChangeKernels, column(RunColumn::ChangeKernels).size(), 0, kernels) ||
        !requireEnds(RunColumn::ChangeKernelEnds, changes, column(RunColumn::ChangeKernels).size()) ||
        !requireColumn(RunColumn::ChangeWaits, column(RunColumn::ChangeWaits).size(), 0, hostEvents()) ||
        !requireEnds(RunColumn::ChangeWaitEnds, changes, column(RunColumn::ChangeWaits).size()) ||
        !requireColumn(RunColumn::Groups, column(RunColumn::Groups).size(), 0, static_cast<int64_t>(changes)) ||
        !requireFractions(RunColumn::BatchNumerators, RunColumn::BatchDenominators, batches, 1) ||
        !requireFractions(RunColumn::BatchKernelNumerators, RunColumn::BatchKernelDenominators,
                          batches * static_cast<size_t>(kernels), 0) ||
        !requireEnds(RunColumn::FusedEnds, fusing * (batches + 1), groups) ||
        !requireTimes(RunColumn::FusedLeast, groups) || !requireEnds(RunColumn::FusedPartEnds, groups, parts) ||
        !requireColumn(RunColumn::PartKernels, parts, 0, kernels) || !requireTimes(RunColumn::PartInside, parts) ||
        !requireTimes(RunColumn::PartBytes, parts) || !requireColumn(RunColumn::PartMemoryHigh, parts, 0, kWord) ||
        !requireColumn(RunColumn::PartMemoryLow, parts, 0, kWord))
      return;
    for (size_t batch = 0; batch < batches; ++batch) readBatch(batch, static_cast<size_t>(kernels));
    for (size_t change = 0; change < changes; ++change) readChange(change);
    for (const int64_t group : column(RunColumn::Groups)) run_->offer_.groups.push_back(static_cast<uint32_t>(group));
    readNeeds(static_cast<size_t>(kernels));
  }

  int64_t hostEvents() const { return run_->timeline_.host ? static_cast<int64_t>(run_->timeline_.host->size()) : 0; }

  void readNeeds(size_t kernels) {
    run_->offer_.iterations = fact(RunFact::Iterations);
    if (!require(1 <= run_->offer_.iterations && run_->offer_.iterations < kMostIterations) || !isReplayed()) return;
    const std::vector<int64_t>& needs = column(RunColumn::KernelNeedsKernels);
    if (!requireColumn(RunColumn::KernelNeedsKnown, kernels, 0, 2) ||
        !requireColumn(RunColumn::KernelNeedsKernels, needs.size(), 0, static_cast<int64_t>(kernels)) ||
        !requireEnds(RunColumn::KernelNeedsEnds, kernels, needs.size()))
      return;
    KernelNeeds& read = run_->offer_.needs;
    size_t at = 0;
    for (size_t kernel = 0; kernel < kernels; ++kernel) {
      read.isKnown.push_back(column(RunColumn::KernelNeedsKnown)[kernel] != 0);
      std::vector<KernelId>& of = read.needs.emplace_back();
      for (; at < static_cast<size_t>(column(RunColumn::KernelNeedsEnds)[kernel]); ++at) of.emplace_back(needs[at]);
    }
  }

  void readBatch(size_t place, size_t kernels) {
    OfferedBatch& batch = run_->offer_.batches.emplace_back();
    batch.ratio = Rational::of(column(RunColumn::BatchNumerators)[place], column(RunColumn::BatchDenominators)[place]);
    for (size_t i = place * kernels; i < (place + 1) * kernels; ++i) {
      const int64_t denominator = column(RunColumn::BatchKernelDenominators)[i];
      batch.factors.push_back(
          denominator == 0 ? std::nullopt
                           : std::optional(Rational::of(column(RunColumn::BatchKernelNumerators)[i], denominator)));
    }
  }

  void readChange(size_t place) {
    OfferedChange& change = run_->offer_.changes.emplace_back();
    change.subject = static_cast<ChangeSubject>(column(RunColumn::ChangeSubjects)[place]);
    change.value = static_cast<uint32_t>(column(RunColumn::ChangeValues)[place]);
    for (; kernel_ < column(RunColumn::ChangeKernelEnds)[place]; ++kernel_)
      change.kernels.emplace_back(column(RunColumn::ChangeKernels)[static_cast<size_t>(kernel_)]);
    for (; wait_ < column(RunColumn::ChangeWaitEnds)[place]; ++wait_)
      change.waits.emplace_back(column(RunColumn::ChangeWaits)[static_cast<size_t>(wait_)]);
    if (change.subject == ChangeSubject::Phase) require(change.value < kPhaseCount);
    if (change.subject == ChangeSubject::Forwards) require(change.value < run_->kernels_.forwardGroups);
    if (change.subject == ChangeSubject::Batch) require(change.value < run_->offer_.batches.size());
    if (change.subject == ChangeSubject::HostWork && require(change.value < symbols_.size()))
      change.name = text(change.value);
    if (change.subject != ChangeSubject::Fused) return;
    for (size_t batch = 0; batch <= run_->offer_.batches.size(); ++batch) {
      std::vector<FusedGroup>& groups = change.fused.emplace_back();
      for (const int64_t end = column(RunColumn::FusedEnds)[list_++]; group_ < end; ++group_)
        groups.push_back(readGroup(static_cast<size_t>(group_)));
    }
  }

  FusedGroup readGroup(size_t place) {
    FusedGroup group;
    group.leastNs = column(RunColumn::FusedLeast)[place];
    for (; part_ < column(RunColumn::FusedPartEnds)[place]; ++part_) {
      const auto at = static_cast<size_t>(part_);
      const int64_t memory = joined(column(RunColumn::PartMemoryHigh)[at], column(RunColumn::PartMemoryLow)[at]);
      group.parts.push_back({KernelId(column(RunColumn::PartKernels)[at]), column(RunColumn::PartInside)[at],
                             column(RunColumn::PartBytes)[at], std::bit_cast<double>(memory)});
    }
    return group;
  }

  bool makeModel() {
    std::vector<Rational> undisturbed(run_->timeline_.size(), Rational::of(1));
    const size_t disturbed = column(RunColumn::EventNumerators).empty() ? 0 : undisturbed.size();
    if (!requireFractions(RunColumn::EventNumerators, RunColumn::EventDenominators, disturbed, 1)) return false;
    for (size_t event = 0; event < disturbed; ++event)
      undisturbed[event] =
          Rational::of(column(RunColumn::EventNumerators)[event], column(RunColumn::EventDenominators)[event]);
    if (!isReplayed()) {
      if (isOfOneThread()) run_->oneThread_ = schedule::OneThread::of(run_->timeline_);
      if (!require(run_->oneThread_.has_value() == isOfOneThread())) return false;
      run_->predictor_.emplace(run_->timeline_, std::move(undisturbed), nullptr, nullptr,
                               isOfOneThread() ? &*run_->oneThread_ : nullptr);
      return true;
    }
    schedule::RunSchedule& schedule = run_->schedule_;
    schedule.wallNs = fact(RunFact::WallNs);
    if (const int64_t windowNs = fact(RunFact::WindowNs); windowNs >= 0) schedule.windowNs = windowNs;
    schedule.unexplainedNs = fact(RunFact::UnexplainedNs);
    schedule.beforeRecordingNs = fact(RunFact::BeforeRecordingNs);
    schedule.strict.wallNs = fact(RunFact::StrictWallNs);
    schedule.unchanged.busyNs = fact(RunFact::KeptBusyNs);
    schedule.unchanged.extentNs = fact(RunFact::KeptExtentNs);
    if (const int64_t windowNs = fact(RunFact::KeptWindowNs); windowNs >= 0) schedule.unchanged.windowNs = windowNs;
    run_->model_ = std::make_unique<schedule::RunModel>(run_->timeline_);
    run_->predictor_.emplace(run_->timeline_, std::move(undisturbed), run_->model_.get(), &schedule);
    return true;
  }

  static constexpr int64_t kLatestNs = int64_t{1} << 53, kWord = int64_t{1} << 32;
  static constexpr int64_t kMostGroups = 1 << 20, kMostIterations = int64_t{1} << 32;

  const RunColumns& in_;
  ReadRun* run_ = nullptr;
  bool ok_ = true;
  std::vector<Symbol> symbols_;
  // What is read of lists so far.
  int64_t kernel_ = 0, group_ = 0, part_ = 0, wait_ = 0;
  size_t list_ = 0;
};

std::unique_ptr<ReadRun> ReadRun::read(const RunColumns& columns) { return RunReader(columns).read(); }

std::optional<schedule::PredictedTimes> ReadRun::predict(std::span<const ChosenChange> chosen, Conflict& conflict,
                                                         bool keepsIdle) const {
  RunScenario scenario(kernels_, model_.get());
  conflict = make(chosen, offer_, scenario);
  if (conflict != Conflict::None) return std::nullopt;
  auto times = amdahlc::predict(*predictor_, kernels_.events, std::move(scenario).finish(), keepsIdle);
  if (!times) conflict = Conflict::TooLong;
  return times;
}

}  // namespace amdahlc

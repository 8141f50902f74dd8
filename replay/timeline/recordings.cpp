#include "replay/timeline/recordings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <limits>
#include <utility>

#include "replay/timeline/guessed_iterations.h"
#include "replay/timeline/time_limits.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

/// The coarsest clock counts microseconds. Shifted times are still multiples of its unit.
constexpr int64_t kCoarsestClockNs = 1'000;
/// Larger numbers of launches and of autograd's nodes are left alone, so that sums of them stay within 64 bits.
constexpr int64_t kLargestNumber = std::numeric_limits<int64_t>::max() / 2;

std::string_view kindOfIterations(const Timeline& timeline) {
  const auto isGuess = [](const DataProblem& problem) { return problem.name == kGuessedIterations; };
  if (std::ranges::any_of(timeline.problems, isGuess)) return "derived from launches";
  const bool isMarked =
      std::ranges::any_of(timeline.iterations, [](const Iteration& one) { return one.startNs.has_value(); });
  return isMarked ? "marked" : "the whole trace";
}

/// What makes two traces those of different runs; empty if nothing does.
std::string differenceOf(const Timeline& a, const Timeline& b) {
  if (!a.hasStarts || !b.hasStarts)
    return "a trace that does not say when events started cannot be one of several recordings";
  const auto clock = [](const Timeline& timeline) { return fmt::format("{} ns", timeline.clockResolutionNs); };
  const auto hostEvents = [](const Timeline& timeline) { return timeline.host->size() > 0 ? "yes" : "none"; };
  const auto rank = [](const Timeline& timeline) {
    return timeline.rank ? fmt::format("{}", timeline.rank->rank) : std::string();
  };
  const struct {
    std::string_view what;
    std::string a, b;
  } kRows[] = {
      {"format", a.format, b.format},
      {"runtime", a.target.runtime, b.target.runtime},
      {"vendor", a.target.vendor, b.target.vendor},
      {"architecture", a.target.arch, b.target.arch},
      {"device", a.target.device, b.target.device},
      {"number of the device", a.device, b.device},
      {"devices with work", fmt::format("{}", fmt::join(a.devices, ", ")),
       fmt::format("{}", fmt::join(b.devices, ", "))},
      {"work of a device", a.hasDevice ? "yes" : "none", b.hasDevice ? "yes" : "none"},
      {"unit of the clock", clock(a), clock(b)},
      {"host events", hostEvents(a), hostEvents(b)},
      {"rank", rank(a), rank(b)},
      {"iterations", std::string(kindOfIterations(a)), std::string(kindOfIterations(b))},
  };
  const auto shown = [](const std::string& text) { return text.empty() ? "not stated" : printable(text); };
  for (const auto& row : kRows)
    if (row.a != row.b)
      return fmt::format("they differ in `{}`: {} in one, {} in the other", row.what, shown(row.a), shown(row.b));
  return {};
}

/// The time in which anything of a run is.
TimeInterval extentOf(const Timeline& timeline) {
  std::optional<TimeInterval> extent;
  for (EventIndex event = 0; event < timeline.size(); ++event) extend(extent, timeline.interval(event));
  for (const HostEventId event : timeline.host->kind.ids()) extend(extent, timeline.host->interval(event));
  for (const MemoryRecord& record : timeline.host->memory) extend(extent, {record.ns, record.ns});
  for (const Iteration& one : timeline.iterations)
    if (one.startNs) extend(extent, {*one.startNs, one.endNs.value_or(*one.startNs)});
  return extent.value_or(TimeInterval{});
}

int64_t largestOf(const auto& numbers) {
  int64_t largest = -1;
  for (const int64_t number : numbers) largest = std::max(largest, number);
  return largest;
}

/// The largest number that relates launches to events.
int64_t largestCorrelation(const Timeline& timeline) {
  int64_t largest = std::max(largestOf(timeline.correlation), largestOf(timeline.host->correlation));
  for (const WaitFacts& facts : timeline.host->waitFacts) largest = std::max(largest, facts.recordCorrelation);
  return largest;
}

/// A number of the added recording, which is -1 for none.
int64_t moved(int64_t number, int64_t by) { return number < 0 ? number : number + by; }

std::array<int64_t, 9> keyOf(const LaunchFacts& facts) {
  return {facts.grid[0],  facts.grid[1],   facts.grid[2],           facts.block[0], facts.block[1],
          facts.block[2], facts.registers, facts.sharedMemoryBytes, facts.bytes};
}

}  // namespace

void RecordingJoiner::begin() {
  const TimeInterval extent = extentOf(run_);
  run_.addRecording({run_.file, run_.contentHash, extent.startNs});
  run_.fileEvent.clear();
  // An execution trace is of one recording.
  run_.host->recordFunction = {};
  endNs_ = extent.endNs;
  nextCorrelation_ = largestCorrelation(run_) + 1;
  nextSequence_ = largestOf(run_.host->sequenceNumber) + 1;
  forwardThreads_ = static_cast<int32_t>(std::max<int64_t>(largestOf(run_.host->forwardThread), 0));
  for (uint32_t place = 0; place < run_.launchFacts.size(); ++place)
    placeOfFacts_.emplace(keyOf(run_.launchFacts[place]), place);
}

std::string RecordingJoiner::add(Timeline recording) {
  const auto sameHash = [&](const Recording& one) { return one.contentHash == recording.contentHash; };
  if (run_.contentHash == recording.contentHash || std::ranges::any_of(run_.recordings, sameHash))
    return "it has the same content as another recording";
  if (std::string why = differenceOf(run_, recording); !why.empty()) return why;
  if (run_.selectedEvents().empty() || recording.selectedEvents().empty())
    return "one of them has no device event in an iteration that counts";
  const int64_t correlation = largestCorrelation(recording), sequence = largestOf(recording.host->sequenceNumber);
  const auto forwardThreads = static_cast<int32_t>(std::max<int64_t>(largestOf(recording.host->forwardThread), 0));
  const TimeInterval own = extentOf(recording);
  if (run_.recordings.empty()) begin();
  shiftNs_ = endNs_ + kBetweenRecordingsNs - own.startNs;
  shiftNs_ += kCoarsestClockNs - ((shiftNs_ % kCoarsestClockNs) + kCoarsestClockNs) % kCoarsestClockNs;
  endNs_ = own.endNs + shiftNs_;
  if (endNs_ > kMaxTimeNs || std::max(nextCorrelation_, correlation) > kLargestNumber ||
      std::max(nextSequence_, sequence) > kLargestNumber ||
      std::max(forwardThreads_, forwardThreads) > std::numeric_limits<int32_t>::max() / 2)
    return "their times or numbers of launches are too large for one run";

  iterations_ = static_cast<uint32_t>(run_.iterations.size());
  const auto number = static_cast<uint32_t>(run_.recordings.size());
  run_.addRecording({recording.file, recording.contentHash, own.startNs + shiftNs_});
  for (Iteration& one : recording.iterations) {
    for (std::optional<int64_t>* const ns : {&one.startNs, &one.endNs})
      if (*ns) **ns += shiftNs_;
    one.recording = number;
    run_.iterations.push_back(std::move(one));
  }
  for (const DataProblem& problem : recording.problems) run_.problems.add(problem.name, problem.count, problem.what);
  run_.nodesByName.merge(recording.nodesByName);
  addTables(recording);
  addHostEvents(recording);
  addEvents(recording);
  nextCorrelation_ += correlation + 1;
  nextSequence_ += sequence + 1;
  forwardThreads_ += forwardThreads;
  return {};
}

void RecordingJoiner::addTables(Timeline& recording) {
  symbols_.clear();
  for (uint32_t symbol = 0; symbol < recording.strings.size(); ++symbol)
    symbols_.push_back(run_.strings.intern(recording.text(Symbol{symbol})));
  using Name = std::pair<std::string_view, std::string_view>;
  std::map<Name, uint32_t> streams;
  const size_t before = run_.tracks.size();
  for (uint32_t track = 0; track < before; ++track)
    if (const Track& one = run_.tracks[track]; one.device) streams.emplace(Name(one.process, one.thread), track);
  tracks_.clear();
  std::vector<Track> added;
  for (Track& track : recording.tracks) {
    const auto known = track.device ? streams.find(Name(track.process, track.thread)) : streams.end();
    tracks_.push_back(known != streams.end() ? known->second : static_cast<uint32_t>(before + added.size()));
    if (known == streams.end()) added.push_back(std::move(track));
  }
  run_.tracks.insert(run_.tracks.end(), std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
  facts_.clear();
  for (const LaunchFacts& facts : recording.launchFacts) {
    const auto [place, isNew] = placeOfFacts_.emplace(keyOf(facts), static_cast<uint32_t>(run_.launchFacts.size()));
    if (isNew) run_.launchFacts.push_back(facts);
    facts_.push_back(place->second);
  }
}

void RecordingJoiner::addEvents(const Timeline& recording) {
  for (EventIndex event = 0; event < recording.size(); ++event) {
    run_.kind.push_back(recording.kind[event]);
    run_.startNs.push_back(recording.startNs[event] + shiftNs_);
    run_.durationNs.push_back(recording.durationNs[event]);
    run_.name.push_back(symbols_[recording.name[event].index]);
    run_.track.push_back(tracks_[recording.track[event]]);
    run_.correlation.push_back(moved(recording.correlation[event], nextCorrelation_));
    run_.iteration.push_back(static_cast<int32_t>(moved(recording.iteration[event], iterations_)));
    run_.factsIndex.push_back(recording.factsIndex[event] == kNoFacts ? kNoFacts : facts_[recording.factsIndex[event]]);
  }
}

void RecordingJoiner::addHostEvents(Timeline& recording) {
  HostFacts& to = *run_.host;
  HostFacts& from = *recording.host;
  const auto first = static_cast<uint32_t>(to.size());
  const auto firstEvent = static_cast<EventIndex>(run_.size());
  const auto operators = static_cast<uint32_t>(to.operatorFacts.size());
  const auto waits = static_cast<uint32_t>(to.waitFacts.size());
  const auto movedId = [&](HostEventId id) { return id.isNone() ? id : HostEventId(id.index() + first); };
  for (const HostEventId event : from.kind.ids()) {
    to.kind.push_back(from.kind[event]);
    to.startNs.push_back(from.startNs[event] + shiftNs_);
    to.durationNs.push_back(from.durationNs[event]);
    to.name.push_back(symbols_[from.name[event].index]);
    to.track.push_back(tracks_[from.track[event]]);
    to.correlation.push_back(moved(from.correlation[event], nextCorrelation_));
    to.parent.push_back(movedId(from.parent[event]));
    to.iteration.push_back(static_cast<int32_t>(moved(from.iteration[event], iterations_)));
    const uint32_t facts = from.factsIndex[event];
    to.factsIndex.push_back(facts == kNoFacts ? facts
                                              : facts + (from.kind[event] == EventKind::Operator ? operators : waits));
    to.sequenceNumber.push_back(moved(from.sequenceNumber[event], nextSequence_));
    const int32_t thread = from.forwardThread[event];
    to.forwardThread.push_back(thread > 0 ? thread + forwardThreads_ : thread);
  }
  std::ranges::move(from.operatorFacts, std::back_inserter(to.operatorFacts));
  for (WaitFacts facts : from.waitFacts) {
    facts.recordCorrelation = moved(facts.recordCorrelation, nextCorrelation_);
    to.waitFacts.push_back(facts);
  }
  for (const HostEventId launch : from.launch) to.launch.push_back(movedId(launch));
  for (const HostEventId op : from.launchOp) to.launchOp.push_back(movedId(op));
  for (auto [event, facts] : from.collectives) {
    for (Symbol* const symbol : {&facts.operation, &facts.group, &facts.groupRanks}) *symbol = symbols_[symbol->index];
    to.collectives.emplace(firstEvent + event, facts);
  }
  for (MemoryRecord record : from.memory) {
    record.ns += shiftNs_;
    if (record.track != kNoTrack) record.track = tracks_[record.track];
    to.memory.push_back(record);
  }
}

}  // namespace amdahlc

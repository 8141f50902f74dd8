#include "runs/builder/iterations.h"

#include <fmt/format.h>

#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "replay/runtimes/server_steps.h"
#include "replay/timeline/guessed_iterations.h"
#include "replay/timeline/interval.h"
#include "support/name_list.h"

namespace amdahlc {
namespace {

/// The time at which an event's work was launched; without a launch its own start.
int64_t askedNs(const EventTable& table, Row event) {
  return table.startNs[table.launch[event] == kNoRow ? event : table.launch[event]];
}

/// A stretch of an operator's self time counts by its own start.
int64_t askedNs(const EventTable& table, const WorkEvent& event) {
  return table.hasDevice ? askedNs(table, event.row) : event.startNs;
}

/// The rows with device work in order of launch; the order of start decides between events of one launch. Without a
/// device all operators: which of them have self time depends on the clock, so their stretches do not repeat exactly.
std::vector<Row> workByLaunch(const EventTable& table) {
  std::vector<Row> work;
  for (Row event = 0; event < table.size(); ++event)
    if (table.hasDevice ? table.isDeviceKind(event) : table.kind[event] == EventKind::Operator) work.push_back(event);
  const auto order = [&](Row event) { return std::pair(askedNs(table, event), table.launch[event]); };
  // One stream runs what it was given in that order.
  if (!std::ranges::is_sorted(work, {}, order)) std::ranges::stable_sort(work, {}, order);
  return work;
}

std::vector<Row> annotations(const EventTable& table) {
  std::vector<Row> out;
  for (Row event = 0; event < table.size(); ++event)
    if (table.kind[event] == EventKind::Annotation) out.push_back(event);
  return out;
}

/// The annotations of `candidates` (sorted by start) that are not inside another one. An annotation inside another of
/// its name is the same repetition. `crossing` is set if one begins inside another and ends after it; the later one is
/// left out.
std::vector<Row> outer(const EventTable& table, const std::vector<Row>& candidates, bool* crossing = nullptr) {
  std::vector<Row> out;
  for (Row event : candidates) {
    if (table.durationNs[event] == 0) continue;
    if (out.empty() || table.startNs[event] >= table.endNs(out.back()))
      out.push_back(event);
    else if (crossing != nullptr)
      *crossing |= table.endNs(event) > table.endNs(out.back());
  }
  return out;
}

std::vector<Row> profilerSteps(const EventTable& table, const RuntimeAdapter& runtime) {
  std::vector<Row> steps;
  for (Row event : annotations(table))
    if (runtime.isStep(table.text(table.name[event]))) steps.push_back(event);
  return outer(table, steps);
}

/// Device work in order of launch, so that the work of an extent needs two binary searches. A loop over all work for
/// each annotation name would be quadratic.
class LaunchedWork {
 public:
  explicit LaunchedWork(const EventTable& table) : sumNs_(1, 0) {
    std::vector<std::pair<int64_t, int64_t>> work;  // time of the launch, duration
    for (const WorkEvent& event : table.work) work.emplace_back(askedNs(table, event), event.durationNs);
    if (!std::ranges::is_sorted(work)) std::ranges::sort(work);
    for (const auto& [timeNs, durationNs] : work) {
      askedNs_.push_back(timeNs);
      sumNs_.push_back(sumNs_.back() + durationNs);
    }
  }
  int64_t totalNs() const { return sumNs_.back(); }
  /// Device time launched in [startNs, endNs); -1 if there is none.
  int64_t within(int64_t startNs, int64_t endNs) const {
    const auto index = [&](int64_t ns) {
      return static_cast<size_t>(std::ranges::lower_bound(askedNs_, ns) - askedNs_.begin());
    };
    const size_t first = index(startNs), last = index(endNs);
    return first == last ? -1 : sumNs_[last] - sumNs_[first];
  }

 private:
  /// Ascending.
  std::vector<int64_t> askedNs_;
  /// `sumNs_[i]`: device time of the first i events.
  std::vector<int64_t> sumNs_;
};

/// By event index: number of annotations of the same thread around each annotation.
std::map<Row, size_t> annotationDepths(const EventTable& table, const std::vector<Row>& all) {
  std::map<Row, size_t> depths;
  std::map<uint32_t, std::vector<int64_t>> openEnds;
  for (Row event : all) {
    std::vector<int64_t>& ends = openEnds[table.track[event]];
    std::erase_if(ends, [&](int64_t endNs) { return endNs <= table.startNs[event]; });
    depths[event] = ends.size();
    if (ends.size() < 1000) ends.push_back(table.endNs(event));
  }
  return depths;
}

/// `step 3` and `step 4` are marks of one kind: `step #`. All steps of a server are of one.
std::string kindOfMark(std::string_view name) {
  std::string text;
  if (stepClass(name)) return text;
  for (const char c : name)
    if (c < '0' || c > '9')
      text += c;
    else if (!text.ends_with('#'))
      text += '#';
  return text;
}

std::vector<Row> repeatedAnnotation(const EventTable& table, const RuntimeAdapter& runtime) {
  const std::vector<Row> all = annotations(table);
  const std::map<Row, size_t> depths = annotationDepths(table, all);
  std::map<std::pair<uint32_t, std::string>, std::vector<Row>> byName;  // by track and name
  for (Row event : all) {
    const std::string_view name = table.text(table.name[event]);
    // Parts of a training step repeat in it.
    if (runtime.phase(name) != Phase::Other || runtime.isDataLoading(name)) continue;
    byName[{table.track[event], kindOfMark(name)}].push_back(event);
  }
  const LaunchedWork launched(table);

  std::vector<Row> best;
  std::tuple<size_t, int64_t, Row> bestRank;
  for (const auto& [key, events] : byName) {
    bool crossing = false;
    std::vector<Row> extents = outer(table, events, &crossing);
    if (extents.size() < 2 || crossing) continue;
    int64_t heldNs = 0;
    const bool eachHasWork = std::ranges::all_of(extents, [&](Row event) {
      const int64_t ns = launched.within(table.startNs[event], table.endNs(event));
      heldNs += ns;
      return ns >= 0;
    });
    if (!eachHasWork || heldNs < launched.totalNs() - heldNs) continue;
    size_t depth = SIZE_MAX;
    for (Row event : extents) depth = std::min(depth, depths.at(event));
    const std::tuple rank(depth, -heldNs, extents.front());
    if (best.empty() || rank < bestRank) {
      best = std::move(extents);
      bestRank = rank;
    }
  }
  return best;
}

/// Places all events by the time at which their work was launched.
template <typename IterationAt>
void placeByTime(EventTable& table, const IterationAt& iterationAtTime) {
  for (Row event = 0; event < table.size(); ++event) table.iteration[event] = iterationAtTime(askedNs(table, event));
  for (WorkEvent& event : table.work) event.iteration = iterationAtTime(askedNs(table, event));
}

/// All events are of one iteration.
void setOnly(EventTable& table, const Iteration& iteration) {
  table.iterations.assign(1, iteration);
  placeByTime(table, [](int64_t) { return 0; });
}

/// Device events without a launch, as iterations.h says.
void placeSpillIn(EventTable& table) {
  const auto place = [&](const auto& begin, const auto& end) {
    std::vector<std::optional<int32_t>> nearest(table.tracks.size());  // by stream, of the last launched event passed
    for (auto event = begin; event != end; ++event) {
      std::optional<int32_t>& iteration = nearest[table.track[event->row]];
      if (table.launch[event->row] != kNoRow)
        iteration = event->iteration;
      else if (iteration)
        event->iteration = table.iteration[event->row] = *iteration;
    }
  };
  if (!table.hasDevice) return;
  place(table.work.begin(), table.work.end());
  place(table.work.rbegin(), table.work.rend());  // the next one has precedence
}

void setFromAnnotations(EventTable& table, const std::vector<Row>& extents) {
  std::map<uint32_t, size_t> seen;
  std::map<uint32_t, size_t> times;
  for (Row event : extents) ++times[table.name[event].index];
  for (Row event : extents) {
    std::string name(table.text(table.name[event]));
    const size_t which = seen[table.name[event].index]++;
    if (times[table.name[event].index] > 1) name += fmt::format(" ({})", which + 1);
    table.iterations.push_back({std::move(name), table.startNs[event], table.endNs(event)});
  }
  // Events are in order of time, so that most are in the iteration of the one before.
  int32_t last = 0;
  placeByTime(table, [&](int64_t ns) {
    const Iteration& before = table.iterations[static_cast<size_t>(last)];
    if (ns >= *before.startNs && ns < *before.endNs) return last;
    const int32_t found = iterationAt(table.iterations, ns);
    if (found != kNoIteration) last = found;
    return found;
  });
  placeSpillIn(table);
}

/// As an excerpt states them. An event of which it states none is placed by the extents.
void setFromExcerpt(EventTable& table) {
  table.iterations = table.excerpt->iterations;
  const auto count = static_cast<int64_t>(table.iterations.size());
  const bool hasExtents = haveOrderedExtents(table.iterations);
  for (int32_t& stated : table.iteration)
    if (stated < 0 || stated >= count) stated = kNoIteration;
  const auto orByTime = [&](int32_t stated, int64_t ns) {
    return stated == kNoIteration && hasExtents ? iterationAt(table.iterations, ns) : stated;
  };
  for (WorkEvent& event : table.work) event.iteration = orByTime(table.iteration[event.row], askedNs(table, event));
  for (Row event = 0; event < table.size(); ++event)
    table.iteration[event] = orByTime(table.iteration[event], askedNs(table, event));
}

void setSpillIn(EventTable& table) {
  const auto isSpillIn = [&](const WorkEvent& event) { return table.hasDevice && table.launch[event.row] == kNoRow; };
  const bool isKnown = table.work.empty() || !std::ranges::all_of(table.work, isSpillIn);
  for (Iteration& iteration : table.iterations)
    iteration.spillInNs = isKnown ? std::optional<int64_t>(0) : std::nullopt;
  if (!isKnown) return;
  for (const WorkEvent& event : table.work)
    if (event.iteration != kNoIteration && isSpillIn(event))
      *table.iterations[static_cast<size_t>(event.iteration)].spillInNs += event.durationNs;
}

void setFromRepetition(EventTable& table, const std::vector<Row>& work, const Repetition& repetition) {
  for (size_t copy = 0; copy < repetition.count; ++copy) {
    table.iterations.push_back({fmt::format("repeat {}", copy + 1), std::nullopt, std::nullopt});
    for (size_t i = 0; i < repetition.length; ++i)
      table.iteration[work[repetition.first + copy * repetition.length + i]] = static_cast<int32_t>(copy);
  }
  for (WorkEvent& event : table.work) event.iteration = table.iteration[event.row];
}

/// The shortest annotation around all launches; of equal ones, the last to begin.
Row annotationAroundAll(const EventTable& table, const std::vector<Row>& work) {
  std::optional<TimeInterval> launches;
  for (Row event : work) {
    const Row launch = table.launch[event];
    if (launch != kNoRow) extend(launches, {table.startNs[launch], table.endNs(launch)});
  }
  Row best = kNoRow;
  if (!launches) return best;
  for (Row event : annotations(table)) {
    if (table.startNs[event] > launches->startNs || table.endNs(event) < launches->endNs) continue;
    if (best == kNoRow || table.durationNs[event] <= table.durationNs[best]) best = event;
  }
  return best;
}

void setWholeTrace(EventTable& table, const std::vector<Row>& work) {
  Iteration whole{"whole trace", std::nullopt, std::nullopt};
  if (const Row around = annotationAroundAll(table, work); around != kNoRow)
    whole = {std::string(table.text(table.name[around])), table.startNs[around], table.endNs(around)};
  setOnly(table, whole);
}

/// The name of the mark of an iteration: `batch` of `batch (2)`.
std::string_view markOf(std::string_view iteration) {
  static const re2::RE2 kOccurrence(R"((.*) \(\d+\))");
  re2::StringPiece mark;
  if (!re2::RE2::FullMatch(re2::StringPiece(iteration.data(), iteration.size()), kOccurrence, &mark)) return iteration;
  return {mark.data(), mark.size()};
}

/// The numbers that users give to iterations: those in the names of their marks if all are numbered steps, else
/// positions.
std::vector<int64_t> numbersOf(const EventTable& table, const RuntimeAdapter& runtime,
                               const std::vector<std::string>& marks) {
  std::vector<int64_t> numbers;
  for (const std::string& mark : marks)
    if (const auto number = runtime.stepNumber(mark)) numbers.push_back(*number);
  if (numbers.size() == marks.size() && marks.size() == table.iterations.size()) return numbers;
  numbers.resize(table.iterations.size());
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  return numbers;
}

std::string select(EventTable& table, const TraceSelection& selection, const std::vector<int64_t>& numbers,
                   bool areOfExcerpt) {
  std::vector<bool> hasWork(table.iterations.size(), false);
  int64_t outside = 0;
  for (const WorkEvent& event : table.work) {
    if (event.iteration == kNoIteration)
      ++outside;
    else
      hasWork[static_cast<size_t>(event.iteration)] = true;
  }
  // An operator at the border of an excerpt may be cut off.
  if (!areOfExcerpt)
    table.problems.add(kOutsideIterations, outside,
                       "device events were launched outside all iterations and are not selected");

  std::vector<size_t> candidates;
  int64_t empty = 0;
  for (size_t i = 0; i < hasWork.size(); ++i) {
    Iteration& iteration = table.iterations[i];
    if (!iteration.selected()) continue;  // outside the window
    if (selection.steps == StepSelection::Range &&
        (numbers[i] < selection.firstStep || numbers[i] > selection.lastStep)) {
      iteration.leftOut = LeftOut::NotChosen;
    } else if (!hasWork[i]) {
      iteration.leftOut = LeftOut::WithoutDeviceWork;
      ++empty;
    } else {
      candidates.push_back(i);
    }
  }
  if (candidates.empty()) {
    if (selection.steps == StepSelection::Range)
      return fmt::format("`-steps` chooses no iteration with device work; the trace has {} to {}", numbers.front(),
                         numbers.back());
    if (selection.window) return "no device work was launched in the window";
    if (!selection.annotation.empty()) return "no annotation that `-annotation` matches has device work";
    if (areOfExcerpt) return {};
    // No device work: one empty selection is simpler for users than none.
    table.iterations.front().leftOut = LeftOut::None;
    return {};
  }
  table.problems.add(kEmptyIteration, empty, "iterations without device work are not selected");
  // A window is chosen by someone who has seen where the run is warm, and so is an excerpt.
  if (selection.steps == StepSelection::Auto && !selection.window && !table.excerpt && candidates.size() >= 3)
    table.iterations[candidates.front()].leftOut = LeftOut::WarmUp;
  return {};
}

/// Leaves out iterations that are not inside the window, whose times are those of the clock. If none is inside, the
/// window is the only one, and the result is true.
bool applyWindow(EventTable& table, const TimeWindow& window) {
  const int64_t beginNs = window.startNs, endNs = window.endNs;
  bool anyInside = false;
  for (Iteration& iteration : table.iterations) {
    const bool inside =
        iteration.startNs && iteration.endNs && *iteration.startNs >= beginNs && *iteration.endNs <= endNs;
    if (!inside) iteration.leftOut = LeftOut::OutsideWindow;
    anyInside |= inside;
  }
  if (anyInside) return false;
  int64_t lastEndNs = beginNs;
  for (Row event = 0; event < table.size(); ++event) lastEndNs = std::max(lastEndNs, table.endNs(event));
  table.iterations.assign(1, {std::string(Iteration::kWindow), beginNs, std::min(endNs, lastEndNs)});
  placeByTime(table, [&](int64_t ns) { return ns >= beginNs && ns < endNs ? 0 : kNoIteration; });
  return true;
}

/// The annotations that the expression matches, or why there are none.
std::vector<Row> matchingAnnotations(EventTable& table, const std::string& expression, std::string& fault) {
  const re2::RE2 compiled(expression, re2::RE2::Quiet);
  std::vector<Row> matching;
  std::set<std::string_view> names;
  for (const Row event : annotations(table)) {
    const std::string_view name = table.text(table.name[event]);
    if (compiled.ok() && re2::RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), compiled))
      matching.push_back(event);
    names.insert(name);
  }
  std::vector<Row> extents = outer(table, matching);
  table.problems.add(kAnnotationInsideAnother, static_cast<int64_t>(matching.size() - extents.size()),
                     "annotations that `-annotation` matches begin inside an earlier one or last no time; only the "
                     "earlier one is an iteration");
  if (!extents.empty()) return extents;
  fault = fmt::format("no annotation matches `{}`", expression);
  fault += "; the trace has " + (names.empty() ? "no annotations" : firstNames(names));
  return {};
}

bool leavesWorkOutside(const EventTable& table) {
  return std::ranges::any_of(table.work, [](const WorkEvent& event) { return event.iteration == kNoIteration; });
}

/// Finds iterations among the events, with the names of their marks if they have any. Returns why there is none.
std::string setFromEvents(EventTable& table, const RuntimeAdapter& runtime, const TraceSelection& selection,
                          std::vector<std::string>& names) {
  const std::vector<Row> work = workByLaunch(table);
  std::ranges::fill(table.iteration, kNoIteration);
  if (selection.steps == StepSelection::Whole) {
    if (!selection.annotation.empty())
      return "`-annotation` chooses iterations, but with `-steps=whole` the trace is one";
    setWholeTrace(table, work);
    return {};
  }
  std::vector<Row> marks;
  std::string fault;
  if (!selection.annotation.empty()) {
    marks = matchingAnnotations(table, selection.annotation, fault);
    if (!fault.empty()) return fault;
  }
  int64_t guessed = 0;
  if (marks.empty()) marks = profilerSteps(table, runtime);
  if (marks.empty()) marks = repeatedAnnotation(table, runtime);
  if (!marks.empty()) {
    setFromAnnotations(table, marks);
  } else if (const auto repetition = findRepetition(table, work)) {
    setFromRepetition(table, work, *repetition);
    guessed = static_cast<int64_t>(repetition->count);
  }
  const bool everything = selection.steps == StepSelection::All && selection.annotation.empty() && !selection.window;
  if (table.iterations.empty() || (everything && leavesWorkOutside(table)))
    setWholeTrace(table, work);
  else
    table.problems.add(kGuessedIterations, guessed,
                       "iterations are derived from a repeated launch sequence, because no annotation marks them");
  for (const Row mark : marks) names.emplace_back(table.text(table.name[mark]));
  return {};
}

}  // namespace

std::string findIterations(EventTable& table, const RuntimeAdapter& runtime, const TraceSelection& selection) {
  const bool areOfExcerpt = table.excerpt && selection.annotation.empty() && selection.steps != StepSelection::Whole;
  std::vector<std::string> marks;
  if (areOfExcerpt) {
    setFromExcerpt(table);
    for (const Iteration& iteration : table.iterations) marks.emplace_back(markOf(iteration.name));
  } else if (std::string fault = setFromEvents(table, runtime, selection, marks); !fault.empty()) {
    return fault;
  }
  const std::vector<int64_t> numbers = numbersOf(table, runtime, marks);
  const bool isWindow = selection.window && applyWindow(table, *selection.window);
  if (isWindow && selection.steps == StepSelection::Range)
    return "`-steps` chooses none, because no iteration is inside the window";
  // An excerpt states what the launches of the whole trace tell.
  if (!areOfExcerpt || isWindow) setSpillIn(table);
  return select(table, selection, numbers, areOfExcerpt);
}

std::string setOneIteration(EventTable& table, int64_t meanOf, const TraceSelection& selection) {
  setOnly(table, {meanOf > 1 ? fmt::format("mean of {}", meanOf) : "whole trace", std::nullopt, std::nullopt});
  setSpillIn(table);
  if (selection.window)
    return "`-window` cannot be used: the trace says how long each event took, but not when it began";
  if (!selection.annotation.empty()) return "`-annotation` cannot be used: the trace has no annotations and no starts";
  if (selection.steps != StepSelection::Range) return {};
  if (meanOf > 1)
    return fmt::format("`-steps` cannot choose executions: each time in the trace is the mean of all {}", meanOf);
  if (selection.firstStep > 0) return "`-steps` chooses no iteration; the trace has one, of number 0";
  return {};
}

}  // namespace amdahlc

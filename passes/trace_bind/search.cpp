#include "passes/trace_bind/search.h"

#include <algorithm>
#include <map>
#include <utility>

#include "passes/trace_bind/anchors.h"
#include "passes/trace_bind/repeats.h"

namespace amdahlc::binding {

namespace {

/// A forward may have fewer calls than the units that must run, because one call may run several: one for so many.
constexpr size_t kCallsPart = 4;
/// Evidence below this does not tell what a call is; its module alone does not bind it.
constexpr Score kWeak = 100;

/// The other order is tried if more than one in so many calls stay unbound.
constexpr int64_t kInOrderPart = 50;

/// By call of the segment, a number for the names of its operators. Shapes may differ from one forward to the next.
std::vector<uint32_t> namesOf(const Search& search, const Segment& segment) {
  std::map<std::vector<std::string>, uint32_t> known;
  std::vector<uint32_t> names;
  for (uint32_t index = 0; index < segment.size(); ++index)
    names.push_back(known.try_emplace(search.features({segment, 0, index}).names, static_cast<uint32_t>(known.size()))
                        .first->second);
  return names;
}

/// The calls [begin, end) of a segment.
Segment part(const Segment& segment, size_t begin, size_t end, bool restarts) {
  const auto at = [&](size_t call) { return segment.outside.begin() + static_cast<ptrdiff_t>(call); };
  return Segment{segment.iteration,
                 segment.begin + static_cast<uint32_t>(begin),
                 segment.begin + static_cast<uint32_t>(end),
                 restarts,
                 {at(begin), at(end)}};
}

/// The hypothesis with each segment divided where forwards begin in it: `beginsOf` returns these calls, ascending, or
/// none. `restarts`: a forward may begin inside of the parts, too. nullopt if no segment is divided.
template <typename BeginsOf>
std::optional<Forwards> dividedAt(const Forwards& hypothesis, bool restarts, const BeginsOf& beginsOf) {
  Forwards divided{hypothesis.root, {}, hypothesis.unmarked};
  for (const Segment& segment : hypothesis.segments) {
    std::vector<size_t> begins = segment.restarts ? beginsOf(segment) : std::vector<size_t>();
    if (begins.empty()) {
      divided.segments.push_back(segment);
      continue;
    }
    divided.unmarked += static_cast<int64_t>(begins.size());
    if (begins.front() > 0) begins.insert(begins.begin(), 0);
    begins.push_back(segment.size());
    for (size_t i = 0; i + 1 < begins.size(); ++i)
      divided.segments.push_back(part(segment, begins[i], begins[i + 1], restarts));
  }
  return divided.unmarked > hypothesis.unmarked ? std::optional(std::move(divided)) : std::nullopt;
}

}  // namespace

std::vector<AlignedCall> Search::calls(const Segment& segment) const {
  std::vector<AlignedCall> result;
  for (uint32_t index = 0; index < segment.size(); ++index) {
    const Place at{segment, 0, index};
    result.push_back({options(at), at.penalty(), value(scorer.unbound(kind(at)))});
  }
  return result;
}

bool Search::isInOrder() const {
  int64_t withOptions = 0, unbound = 0;
  eachDistinctCall([&](const Place& at) {
    if (at.isOutside() || options(at).empty() || features(at).movesData) return;
    withOptions += copies[at.alignment];
    if (!binding(at).option) unbound += copies[at.alignment];
  });
  return unbound * kInOrderPart <= withOptions;
}

void Search::align(const Instances& instances) {
  alignments.clear();
  score = forwards.unmarked * value(evidence::Row::Restart);
  for (uint32_t i = 0; i < segmentOf.size(); ++i) {
    Bonus bonus;
    if (!instances.empty())
      bonus = [&](size_t index, const Option& option) {
        return instanceBonus(instances, {segment(i), i, static_cast<uint32_t>(index)}, option);
      };
    alignments.push_back(binding::align(program, calls(segment(i)), segment(i).restarts, bonus));
    score += alignments.back().score * copies[i];
    cells += alignments.back().cells;
  }
}

void Search::align(Forwards hypothesis) {
  forwards = std::move(hypothesis);
  alignmentOf.clear();
  segmentOf.clear();
  copies.clear();
  std::map<std::vector<uint32_t>, uint32_t> known;
  for (uint32_t i = 0; i < forwards.segments.size(); ++i) {
    const Segment& segment = forwards.segments[i];
    std::vector<uint32_t> key{segment.restarts};
    for (uint32_t index = 0; index < segment.size(); ++index) {
      const Place at{segment, 0, index};
      key.push_back(2 * kind(at) + (at.isOutside() ? 1 : 0));
      key.push_back(instance(at).value_or(Symbol{kNoUnit}).index);
    }
    const auto [entry, isNew] = known.try_emplace(std::move(key), static_cast<uint32_t>(segmentOf.size()));
    if (isNew) {
      segmentOf.push_back(i);
      copies.push_back(0);
    }
    ++copies[entry->second];
    alignmentOf.push_back(entry->second);
  }
  align(Instances());
}

std::optional<Forwards> Search::atRestarts(const Forwards& hypothesis) const {
  const int64_t positions = int64_t{program.end()} + 1;
  return dividedAt(hypothesis, false, [&](const Segment& segment) {
    return int64_t{segment.size()} * positions > kExactCells ? Anchors(program, calls(segment)).restarts()
                                                             : std::vector<size_t>();
  });
}

std::optional<Forwards> Search::atRepetitions(const Forwards& hypothesis, bool searchBegin) const {
  const int64_t positions = int64_t{program.end()} + 1;
  const auto leastCalls =
      static_cast<size_t>(std::ranges::count_if(program.units(), [](const Unit& unit) { return unit.mustRun; }));
  return dividedAt(hypothesis, true, [&](const Segment& segment) {
    const size_t count = segment.size();
    std::vector<size_t> begins;
    if (static_cast<int64_t>(count + 1) * positions > kMostCells)
      begins = repetitions(namesOf(*this, segment), leastCalls / kCallsPart);
    if (begins.empty() || !searchBegin) return begins;
    // Where the first restart is after the first place, all forwards begin as far behind their places.
    const size_t length = begins[1] - begins[0];
    size_t shift = 0;
    if (static_cast<int64_t>(length + 1) * positions <= kMostCells) {
      const Alignment alignment = binding::align(program, calls(part(segment, begins[0], begins[1], true)), true, {});
      while (shift < length && alignment.calls[shift].forward == 0) ++shift;
    }
    if (shift == 0 || shift == length) begins.clear();
    for (size_t& begin : begins) begin += shift;
    while (!begins.empty() && begins.back() >= count) begins.pop_back();
    return begins;
  });
}

Score Search::instanceBonus(const Instances& instances, const Place& at, const Option& option) const {
  const auto around = instance(at);
  if (!around) return 0;
  Judgement votes;
  instances.judge(*around, scope(option), votes);
  return option.evidence < kWeak ? std::min(votes.score, kWeak) : votes.score;
}

}  // namespace amdahlc::binding

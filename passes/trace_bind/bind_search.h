/// The search of one binding: a hypothesis of order and forwards, with its alignment. Private to the binder.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "passes/trace_bind/bind_timeline.h"

namespace amdahlc::binding {

/// A share in thousandths, rounded.
inline uint16_t permille(double share) {
  return static_cast<uint16_t>(std::lround(std::clamp(share, 0.0, 1.0) * 1000));
}

/// Which kinds of evidence the selected iterations have.
ir::RecordedEvidence recordedEvidence(const Launches& launches);

/// One hypothesis of order and forwards, and its alignment. Equal segments are aligned once.
struct TimelineBinder::Search {
  Search(const AlternativeGraph& graph, OrderKind order, const Launches& launches, RuleLaunches& rules)
      : order(order), program(graph, order), scorer(graph, program, launches, rules) {}

  OrderKind order;
  Program program;
  Scorer scorer;
  Forwards forwards;
  /// By segment, the index of its alignment.
  std::vector<uint32_t> alignmentOf;
  /// By alignment, its first segment and the number of its segments.
  std::vector<uint32_t> segmentOf;
  std::vector<int64_t> copies;
  std::vector<Alignment> alignments;
  int64_t score = 0;

  const Segment& segment(size_t alignment) const { return forwards.segments[segmentOf[alignment]]; }
  uint32_t kind(const Segment& segment, size_t call) const {
    return scorer.kind(segment.iteration, segment.begin + call);
  }
  std::vector<AlignedCall> calls(const Segment& segment) const {
    std::vector<AlignedCall> result;
    for (uint32_t call = 0; call < segment.end - segment.begin; ++call) {
      const uint32_t of = kind(segment, call);
      result.push_back({scorer.options(of), segment.outside[call] ? evidence::kOutsideRoot : 0, scorer.unbound(of)});
    }
    return result;
  }
  void setForwards(Forwards hypothesis, const Launches& launches) {
    forwards = std::move(hypothesis);
    alignmentOf.clear();
    segmentOf.clear();
    copies.clear();
    std::map<std::vector<uint32_t>, uint32_t> known;
    for (uint32_t i = 0; i < forwards.segments.size(); ++i) {
      const Segment& at = forwards.segments[i];
      std::vector<uint32_t> key{at.restarts};
      const auto all = launches.calls(at.iteration);
      for (uint32_t call = 0; call < at.end - at.begin; ++call) {
        const HostEventId frame = all[at.begin + call].frame;
        key.push_back(2 * kind(at, call) + (at.outside[call] ? 1 : 0));
        key.push_back(frame.isNone() ? kNoUnit : launches.host().name[frame].index);
      }
      const auto [entry, isNew] = known.try_emplace(std::move(key), static_cast<uint32_t>(segmentOf.size()));
      if (isNew) {
        segmentOf.push_back(i);
        copies.push_back(0);
      }
      ++copies[entry->second];
      alignmentOf.push_back(entry->second);
    }
  }
};

}  // namespace amdahlc::binding

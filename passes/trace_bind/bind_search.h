/// The search of one binding: a hypothesis of order and forwards, with its alignment. Private to the binder.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "passes/trace_bind/bind_timeline.h"

namespace amdahlc::binding {

/// A share in thousandths, rounded.
inline uint16_t permille(double share) {
  return static_cast<uint16_t>(std::lround(std::clamp(share, 0.0, 1.0) * 1000));
}

/// A trace fits the model if at least so much of its calls is explained, so much of the units ran in one forward, and
/// so many weights of the model occur. `./dev accuracy fit` prints the measures of all right and foreign
/// pairs: these lie between them.
inline constexpr uint16_t kLeastCallsPermille = 560, kLeastUnitsPermille = 958, kLeastWeightsPermille = 700;

/// An option that the order of the alignment forbade needs this much evidence.
inline constexpr Score kLeastLeftover = 600;

/// Which kinds of evidence the selected iterations have.
ir::RecordedEvidence recordedEvidence(const Launches& launches);

/// One hypothesis of order and forwards, and its alignment. Equal segments are aligned once.
struct TimelineBinder::Search {
  Search(const AlternativeGraph& graph, OrderKind order, const IdVector<ir::OpId, uint32_t>& rank,
         const Launches& launches, RuleLaunches& rules)
      : order(order), program(graph, rank, order == OrderKind::Trace), scorer(graph, program, launches, rules) {}

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
  /// Whether a forward begins inside a segment.
  bool hasRestarts() const {
    return std::any_of(alignments.begin(), alignments.end(), [](const Alignment& alignment) {
      return !alignment.calls.empty() && alignment.calls.back().forward > 0;
    });
  }
  /// By call of the segment, a number for the names of its operators. Shapes may differ from one forward to the next.
  std::vector<uint32_t> namesOf(const Segment& segment) const;
  void setForwards(Forwards hypothesis, const Launches& launches);
  /// The hypothesis with a segment for each repetition, where forwards follow each other without a mark in a segment
  /// too large to look for a restart at every position; nullopt without such a segment. A repetition begins at the
  /// first call or, with `searchBegin`, where the first restart is.
  std::optional<Forwards> atRepetitions(const Forwards& hypothesis, bool searchBegin) const;
};

}  // namespace amdahlc::binding

/// One hypothesis of the order of the program and of the forwards in a run, and the alignment of the run with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "passes/trace_bind/align.h"
#include "passes/trace_bind/forwards.h"
#include "passes/trace_bind/instances.h"
#include "passes/trace_bind/scorer.h"

namespace amdahlc::binding {

/// An option that the order of the alignment forbade must be a hundred times likelier than that its call and its unit
/// have no partner.
inline constexpr Score kLeastAdvantage = 460;

/// Equal segments are aligned once.
struct Search {
  /// `cells` counts the pairs of a call and a position that alignments looked at.
  Search(const CallKinds& kinds, OrderKind order, const IdVector<ir::OpId, uint32_t>& rank, int64_t& cells)
      : graph(kinds.run().graph),
        launches(kinds.run().launches),
        scorer(kinds, order, rank),
        program(scorer.program()),
        cells(cells) {}

  const AlternativeGraph& graph;
  const Launches& launches;
  Scorer scorer;
  const Program& program;
  Forwards forwards;
  /// By segment, the index of its alignment.
  std::vector<uint32_t> alignmentOf;
  /// By alignment, its first segment and the number of its segments.
  std::vector<uint32_t> segmentOf;
  std::vector<int64_t> copies;
  std::vector<Alignment> alignments;
  int64_t score = 0;
  int64_t& cells;

  /// A call of a segment.
  struct Place {
    const Segment& segment;
    uint32_t alignment, index;
    bool isOutside() const { return segment.outside[index]; }
    /// Of a call that lies outside of the model.
    Score penalty() const { return isOutside() ? value(evidence::Row::OutsideRoot) : 0; }
  };
  uint32_t kind(const Place& at) const { return scorer.kinds().of(at.segment.iteration, at.segment.begin + at.index); }
  const Call& call(const Place& at) const { return launches.calls(at.segment.iteration)[at.segment.begin + at.index]; }
  const CallFeatures& features(const Place& at) const { return scorer.kinds()[kind(at)]; }
  std::span<const Option> options(const Place& at) const { return scorer.options(kind(at)); }
  const CallBinding& binding(const Place& at) const { return alignments[at.alignment].calls[at.index]; }
  /// By how much the option is likelier than that its call and its unit have no partner.
  Score advantage(const Place& at, const Option& option) const {
    return option.evidence - value(scorer.unbound(kind(at))) - value(program.units()[option.unit].skip);
  }
  std::optional<Symbol> instance(const Place& at) const { return launches.instanceOf(call(at)); }
  ir::ScopeId scope(const Option& option) const { return program.units()[option.unit].scope; }

  const Segment& segment(size_t alignment) const { return forwards.segments[segmentOf[alignment]]; }
  std::vector<AlignedCall> calls(const Segment& segment) const;
  /// Calls `visit(place)` for each call of the first segment of every alignment, in order.
  template <typename Visit>
  void eachDistinctCall(const Visit& visit) const {
    for (uint32_t i = 0; i < alignments.size(); ++i)
      for (uint32_t call = 0; call < alignments[i].calls.size(); ++call) visit(Place{segment(i), i, call});
  }
  /// The same for each call of every segment.
  template <typename Visit>
  void eachCall(const Visit& visit) const {
    for (size_t s = 0; s < forwards.segments.size(); ++s)
      for (uint32_t call = 0; call < alignments[alignmentOf[s]].calls.size(); ++call)
        visit(Place{forwards.segments[s], alignmentOf[s], call});
  }
  /// Whether a forward begins inside a segment.
  bool hasRestarts() const {
    return std::ranges::any_of(alignments, [](const Alignment& alignment) {
      return !alignment.calls.empty() && alignment.calls.back().forward > 0;
    });
  }
  /// Whether no segment is a run of any stretch of the program.
  bool isHopeless() const { return std::ranges::all_of(alignments, &Alignment::hopeless); }
  /// Whether hardly any call is unbound that has options: then no other order can explain more.
  bool isInOrder() const;

  /// Aligns the calls anew, with the evidence of what instances are.
  void align(const Instances& instances);
  /// Takes another hypothesis of the forwards, and aligns the calls.
  void align(Forwards hypothesis);
  /// The hypothesis with a segment for each forward, where anchors of a large segment lead back to the begin of the
  /// program; nullopt without such a segment.
  std::optional<Forwards> atRestarts(const Forwards& hypothesis) const;
  /// The hypothesis with a segment for each repetition, where forwards follow each other without a mark in a segment
  /// too large to look for a restart at every position; nullopt without such a segment. A repetition begins at the
  /// first call or, with `searchBegin`, where the first restart is.
  std::optional<Forwards> atRepetitions(const Forwards& hypothesis, bool searchBegin) const;
  /// Evidence of the module instance around a call; 0 without one.
  Score instanceBonus(const Instances& instances, const Place& at, const Option& option) const;
};

/// Rank of each operator in an order that the graph allows, in which calls may have run it; nullopt if no call stays
/// unbound that fits a unit well.
std::optional<IdVector<ir::OpId, uint32_t>> orderOfCalls(const Search& search);
/// By alignment and call.
using Posteriors = std::vector<std::vector<Posterior>>;
/// Where the order of calls is not that of the program, it does not tell units apart that agree equally with a call and
/// do not wait for each other: each may be the one.
void shareAmongEquals(const Search& search, Posteriors& probabilities);

}  // namespace amdahlc::binding

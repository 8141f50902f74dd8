/// The search of one binding: a hypothesis of order and forwards, with its alignment. Private to the binders.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ir/facets/bound.h"
#include "passes/trace_bind/align.h"
#include "passes/trace_bind/bind_timeline.h"
#include "passes/trace_bind/forwards.h"
#include "passes/trace_bind/instances.h"
#include "passes/trace_bind/scorer.h"

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

/// What each way to bind reads. The way fills the kernels of the cover, whose name is set, and the facts.
struct BindInput {
  ObservedRun& run;
  const BindOptions& options;
};
/// Returns false where the operators form a cycle.
bool bindByNodes(const BindInput& input, const NamedNodes& named, ir::Cover& cover, ir::BoundFacet& facts,
                 BoundRun& run);

/// Binding by kernel names and order alone, for rules that say `evidence names`.
///
/// Each kernel of the cover, in order of its id, takes the first launches that no kernel before it took and that fit
/// its rule, in every iteration. Nothing is weighed, and nothing is ambiguous.
///
/// `facts.kernels` has one element per kernel of the cover.
void bindByNames(const ir::Module& module, const ir::Cover& cover, const Launches& launches, RuleLaunches& rules,
                 ir::BoundFacet& facts);

/// Which kinds of evidence the selected iterations have.
ir::RecordedEvidence recordedEvidence(const Launches& launches);

/// One hypothesis of order and forwards, and its alignment. Equal segments are aligned once.
struct Search {
  Search(const CallKinds& kinds, OrderKind order, const IdVector<ir::OpId, uint32_t>& rank)
      : graph(kinds.run().graph),
        launches(kinds.run().launches),
        scorer(kinds, order, rank),
        program(scorer.program()) {}

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

  const Segment& segment(size_t alignment) const { return forwards.segments[segmentOf[alignment]]; }
  uint32_t kind(const Segment& segment, size_t call) const {
    return scorer.kinds().of(segment.iteration, segment.begin + call);
  }
  const CallFeatures& features(const Segment& segment, size_t call) const {
    return scorer.kinds()[kind(segment, call)];
  }
  const Call& callAt(const Segment& segment, size_t call) const {
    return launches.calls(segment.iteration)[segment.begin + call];
  }
  std::span<const Option> options(const Segment& segment, size_t call) const {
    return scorer.options(kind(segment, call));
  }
  /// Of a call that lies outside of the model.
  static Score penalty(const Segment& segment, size_t call) {
    return segment.outside[call] ? value(evidence::Row::OutsideRoot) : 0;
  }
  std::vector<AlignedCall> calls(const Segment& segment) const {
    std::vector<AlignedCall> result;
    for (uint32_t call = 0; call < segment.end - segment.begin; ++call) {
      const uint32_t of = kind(segment, call);
      result.push_back({scorer.options(of), penalty(segment, call), evidence::value(scorer.unbound(of))});
    }
    return result;
  }
  /// Calls `visit(alignment, call)` with the indices of each call of the first segment of every alignment.
  template <typename Visit>
  void eachCall(const Visit& visit) const {
    for (size_t i = 0; i < alignments.size(); ++i)
      for (size_t call = 0; call < alignments[i].calls.size(); ++call) visit(i, call);
  }
  /// Whether a forward begins inside a segment.
  bool hasRestarts() const {
    return std::ranges::any_of(alignments, [](const Alignment& alignment) {
      return !alignment.calls.empty() && alignment.calls.back().forward > 0;
    });
  }
  /// Whether no segment is a run of any stretch of the program.
  bool isHopeless() const { return std::ranges::all_of(alignments, &Alignment::hopeless); }
  /// By call of the segment, a number for the names of its operators. Shapes may differ from one forward to the next.
  std::vector<uint32_t> namesOf(const Segment& segment) const;
  void setForwards(Forwards hypothesis);
  /// The hypothesis with a segment for each forward, where anchors of a large segment lead back to the begin of the
  /// program; nullopt without such a segment.
  std::optional<Forwards> atRestarts(const Forwards& hypothesis) const;
  /// The hypothesis with a segment for each repetition, where forwards follow each other without a mark in a segment
  /// too large to look for a restart at every position; nullopt without such a segment. A repetition begins at the
  /// first call or, with `searchBegin`, where the first restart is.
  std::optional<Forwards> atRepetitions(const Forwards& hypothesis, bool searchBegin) const;
  /// Evidence of the module instance around a call; 0 without one.
  Score instanceBonus(const Instances& instances, const Call& call, const Option& option) const;
};

/// Rank of each operator in an order that the graph allows, in which calls may have run it; nullopt if no call stays
/// unbound that fits a unit well.
std::optional<IdVector<ir::OpId, uint32_t>> orderOfCalls(const Search& search);
/// By alignment and call.
using Posteriors = std::vector<std::vector<Posterior>>;
/// Where the order of calls is not that of the program, it does not tell units apart that agree equally with a call and
/// do not wait for each other: each may be the one.
void shareAmongEquals(const Search& search, Posteriors& probabilities);

/// The result of the search, by which events are distributed.
struct Found {
  const Search& search;
  const ChosenCover& chosen;
  const Instances& instances;
  const Posteriors& probabilities;
};
/// `facts` has all events.
ir::ModelFit measureFit(const Search& search, const ir::BoundFacet& facts);
void distribute(const Found& found, uint16_t thresholdPermille, ir::BoundFacet& facts);
/// Adds the events of no call: of the backward pass and the optimizer, what computes nothing, wrappers, generated code.
void addOutside(const BindInput& input, const ir::Cover& cover, const Instances& instances, ir::BoundFacet& facts);
/// Orders the events, and sets the states of kernels.
void finish(const BindInput& input, const ir::Cover& cover, const std::map<ir::OpId, int64_t>& trips,
            ir::BoundFacet& facts);
/// Explains what the options name.
void explain(const Found& found, const BindOptions& options, const ir::Cover& cover, const ir::BoundFacet& facts,
             BoundRun& run);

}  // namespace amdahlc::binding

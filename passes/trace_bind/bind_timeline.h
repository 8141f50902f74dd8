/// Binds one timeline: computes a cover with events from launches, rules and graph.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/facets/bound.h"
#include "ir/module.h"
#include "passes/trace_bind/align.h"
#include "passes/trace_bind/choose_cover.h"
#include "passes/trace_bind/frame_scopes.h"

namespace amdahlc::binding {

struct BindCounts {
  int64_t boundEvents = 0, unboundEvents = 0;
  int64_t boundKernels = 0, missedKernels = 0;
  int64_t searchedIterations = 0, transferredIterations = 0;
  int64_t expandedStates = 0;
  int64_t matchedFrames = 0;
};

/// How the result was found, for remarks.
struct BindDetails {
  OrderKind order = OrderKind::Model;
  bool weightsCompared = false;
  struct FrameMatch {
    std::string frame, scope;
    bool matched = false;
  };
  /// All frames, in order of first call.
  std::vector<FrameMatch> frames;
  std::vector<Decision> decisions;
  /// Alternatives that the alignment used but that would close a cycle between kernels.
  int64_t refused = 0;
  /// Index of the iteration that was searched first.
  int32_t representativeIteration = 0;
};

class TimelineBinder {
 public:
  TimelineBinder(const ir::Module& module, const ir::OperatorGraph& operators, const AlternativeGraph& graph,
                 size_t beamWidth)
      : module_(module), operators_(operators), graph_(graph), beamWidth_(beamWidth) {}

  /// nullopt where the operators form a cycle.
  std::optional<ir::Cover> bind(const Timeline& timeline);
  const BindCounts& counts() const { return counts_; }
  const BindDetails& details() const { return details_; }

 private:
  struct Attempt;
  void nameFrames(const FrameScopes& frames);
  void setStates(const ir::Cover& cover, ir::BoundFacet& facts, const Alignment& alignment, RuleLaunches& rules,
                 const Launches& launches) const;
  ir::UnboundEvent explain(const Launch& launch, size_t position, Scorer& scorer, const FrameScopes& frames,
                           const Launches& launches, const std::vector<bool>& served) const;

  const ir::Module& module_;
  const ir::OperatorGraph& operators_;
  const AlternativeGraph& graph_;
  size_t beamWidth_;
  BindCounts counts_;
  BindDetails details_;
};

}  // namespace amdahlc::binding

/// Binds one timeline: computes a cover with events from launches, rules and graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/module.h"
#include "passes/trace_bind/alternatives.h"
#include "passes/trace_bind/choose_cover.h"
#include "passes/trace_bind/explain.h"

namespace amdahlc::binding {

/// Where no option says otherwise: the probability, in thousandths, below which a binding is ambiguous.
inline constexpr uint16_t kDefaultThresholdPermille = 900;

struct BindOptions {
  /// Bindings of a lower probability are ambiguous.
  uint16_t thresholdPermille = kDefaultThresholdPermille;
  /// What is explained; with `explainsCalls`, also every call.
  std::vector<Subject> subjects = {};
  bool explainsCalls = false;
};

struct BindCounts {
  int64_t boundEvents = 0, unboundEvents = 0;
  int64_t boundKernels = 0, missedKernels = 0;
  int64_t alignedSegments = 0, transferredSegments = 0;
  int64_t cells = 0;
  /// Conflict components of other candidates than in the default cover.
  int64_t redecided = 0;
};

/// The bound cover, and how it was found, for remarks.
struct BoundRun {
  /// nullopt where the operators form a cycle, or `excess` says what is too much.
  std::optional<ir::Cover> cover;
  BindCounts counts;
  OrderKind order = OrderKind::Model;
  bool weightsCompared = false;
  /// The module frame that is the model; empty if none was found.
  std::string root;
  int64_t forwards = 0;
  /// Log-odds of the alignments, in hundredths of a nat; 0 where nothing was aligned.
  int64_t score = 0;
  struct InstanceScope {
    std::string instance, scope;
    bool known = false;
  };
  /// All module instances around calls, by name.
  std::vector<InstanceScope> instances;
  std::vector<Decision> decisions;
  /// Every hypothesis that was tried, in order, with the score of its alignments in hundredths of a nat.
  struct Hypothesis {
    OrderKind order = OrderKind::Model;
    /// Module frame; empty without one.
    std::string root;
    int64_t score = 0;
  };
  std::vector<Hypothesis> hypotheses;
  /// Parallel to the subjects; empty for an event that the run does not have, and where rules bind by names only.
  std::vector<std::string> explanations;
  /// One line per call, if asked for.
  std::vector<std::string> calls;
  /// Alternatives that the alignment used but that would close a cycle between kernels or overlap others; where events
  /// name nodes, kernels of nodes that one event names.
  int64_t refused = 0;
  /// The events name nodes: nothing was aligned.
  bool named = false;
  /// More tests of rules on launches than the limits allow: nothing was bound.
  struct Excess {
    size_t tests = 0, kinds = 0;
  };
  std::optional<Excess> excess;
};

BoundRun bindTimeline(const AlternativeGraph& graph, const Timeline& timeline, const BindOptions& options = {});

}  // namespace amdahlc::binding

/// Binds one timeline: computes a cover with events from launches, rules and graph.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "passes/trace_bind/alternatives.h"
#include "passes/trace_bind/explain.h"

namespace amdahlc::binding {

/// Where no option says otherwise: the probability, in thousandths, below which a binding is ambiguous.
inline constexpr uint16_t kDefaultThresholdPermille = 900;
/// The probability of what a run states, in thousandths.
inline constexpr uint16_t kCertain = 1000;

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
  /// That of the program, where calls were aligned with it, and the log-odds of the alignments in hundredths of a nat.
  OrderKind order = OrderKind::Model;
  int64_t score = 0;
  /// The module frame that is the model; empty if none was found.
  std::string root;
  /// The names, by `Symbol::index`, of module frames that are scopes of the model.
  std::set<uint32_t> modulesOfModel;
  /// Sentences about how the cover was found.
  std::vector<std::string> remarks;
  /// Every hypothesis that was tried, in order, and, if asked for, every call.
  std::vector<std::string> debugLines;
  /// Parallel to the subjects; empty for an event that the run does not have, and where rules bind by names only.
  std::vector<std::string> explanations;
  /// More tests of rules than the limits allow on so many kinds of launches: nothing was bound.
  std::optional<std::pair<size_t, size_t>> excess;
};

BoundRun bindTimeline(const AlternativeGraph& graph, const Timeline& timeline, const BindOptions& options = {});

}  // namespace amdahlc::binding

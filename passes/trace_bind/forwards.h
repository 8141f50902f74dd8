/// Hypotheses about the exported model: which module call of the trace it is, and where its forwards begin.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "passes/trace_bind/launches.h"

namespace amdahlc::binding {

/// Adjacent calls of one iteration that are aligned together.
struct Segment {
  size_t iteration = 0;
  /// Calls [begin, end).
  uint32_t begin = 0, end = 0;
  /// Whether a forward may begin inside.
  bool restarts = false;
  /// By call of the segment: it was not launched by the model's module. A call without a launch is never outside.
  std::vector<bool> outside;
  uint32_t size() const { return end - begin; }
};

/// One way to divide the trace into forwards.
struct Forwards {
  /// Name of the module frame that is the model; nullopt if a forward may begin anywhere.
  std::optional<Symbol> root;
  std::vector<Segment> segments;
  /// Forwards that begin without a mark at the begin of a segment.
  int64_t unmarked = 0;
};

/// All hypotheses worth trying, the most frequent outer frame first. Without frames there is one, without a root.
std::vector<Forwards> forwardHypotheses(const Launches& launches);

}  // namespace amdahlc::binding

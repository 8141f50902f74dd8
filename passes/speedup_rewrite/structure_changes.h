/// What a scenario does otherwise than the measured run, besides new times.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/ids.h"
#include "ir/kernel_graph.h"
#include "schedule/scenarios.h"

namespace amdahlc {

/// Kernels are in ascending order and distinct.
struct StructureChanges {
  /// Kernels whose events do not run.
  std::vector<ir::KernelId> removed;
  struct Graph {
    /// nullopt: all work, bound or not.
    std::optional<std::vector<ir::KernelId>> kernels;
  };
  std::optional<Graph> graph;
  struct Move {
    std::vector<ir::KernelId> kernels;
    /// As in the trace; nullopt for a new one.
    std::optional<int64_t> stream;
  };
  std::vector<Move> moves;
  bool overlapsCopies = false;

  bool isEmpty() const { return removed.empty() && !graph && moves.empty() && !overlapsCopies; }
};

/// A run with the kernels of its events.
struct OwnedRun {
  const schedule::RunModel& model;
  const ir::KernelGraph& graph;
  /// By event; kUnboundOwner also for events that are not selected.
  const std::vector<ir::KernelId>& owners;
};

/// Adds the changes to a replay of the run. Data dependencies of work that moves are those of the kernel graph; an
/// event without a kernel keeps its order to all others of its stream.
void addStructure(const OwnedRun& run, const StructureChanges& structure, schedule::Changes& changes);

}  // namespace amdahlc

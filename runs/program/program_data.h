/// What an execution trace of a run tells of the calls of its program: which tensors they take and return, and which
/// call reads what another one wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runs/execution_trace/data_edges.h"
#include "runs/execution_trace/execution_trace.h"
#include "runs/program/program.h"
#include "support/diagnostic.h"

namespace amdahlc::program {

struct ProgramData {
  execution_trace::ExecutionTrace trace;
  /// By node: the call of the execution trace; none for device events, and for calls that are not linked.
  IdVector<NodeId, execution_trace::NodeId> callOf;

  /// `reader` reads what `writer` wrote last, in the representative iteration (`execution_trace::DataEdge`).
  struct Edge {
    NodeId writer, reader;
    /// What is read: an index into the tensors of the trace.
    uint32_t tensor = 0;
  };
  /// By reader, then in the order of its tensors.
  std::vector<Edge> edges;
  /// By reader: calls that come before it because both use one memory, though no data passes between them.
  IdVector<NodeId, std::vector<NodeId>> orderedAfter;
  /// Of a storage that calls use; what is of the representative iteration counts as the program.
  struct Life {
    int64_t bytes = 0;
    /// It was there before the program; calls use it after the program, or it was there before and nothing tells that
    /// it became free.
    bool isBefore = false, isAfter = false;
    bool onHost = false;
  };
  std::vector<Life> lives;
  /// By tensor of the trace: an index into `lives`, or `execution_trace::kNoLife`.
  std::vector<uint32_t> lifeOf;
  /// By node, ascending: the lives of the storages that it writes.
  IdVector<NodeId, std::vector<uint32_t>> written;
  /// Pairs of calls among `edges`, each once.
  int64_t pairs = 0;
};

/// Links the calls of the program with those of the execution trace, and finds their data edges. Reports
/// `trace-of-another-run` if they are not of one run, and returns nullopt.
std::optional<ProgramData> dataOf(const Timeline& timeline, const Program& program,
                                  execution_trace::ExecutionTrace trace, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::program

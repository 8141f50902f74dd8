/// The graph in which HolisticTraceAnalysis seeks its critical path. A part of `hta_path.h`.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "schedule/hta_rows.h"

namespace amdahlc::schedule {

/// The start or the end of an operator, a call or a device event.
struct HtaNode {
  int64_t us;
  HtaRowIndex row;
  bool isStart;
};

enum class HtaEdgeKind : uint8_t {
  /// Time of an operator or a call.
  Host,
  /// A device event.
  Device,
  Gap,
  Launch,
  /// One after the other, whatever the time between.
  Order,
  /// For the end of a device event.
  Wait,
};

struct HtaEdge {
  HtaNodeIndex from, to;
  /// Not negative: an edge against time weighs nothing.
  int64_t us;
  /// Which the time belongs to; kNoIndex for none.
  HtaRowIndex row;
  HtaEdgeKind kind;
};

class HtaGraph {
 public:
  /// `rows` must outlive it, and have a scope.
  explicit HtaGraph(const HtaRows& rows);

  /// In order of time, then of rows.
  const std::vector<HtaNode>& nodes() const { return nodes_; }
  /// In the order in which they were added. No two have the same ends.
  const std::vector<HtaEdge>& edges() const { return edges_; }
  /// There are too many edges, and some are left out.
  bool isTooLarge() const { return isTooLarge_; }

 private:
  const HtaRow& rowOf(HtaNodeIndex node) const { return rows_[nodes_[node].row]; }
  bool locks(HtaNodeIndex node) const { return (rowOf(node).call & HtaCall::kLocks) != 0; }
  /// kNoIndex for an event that has none, as for the next.
  HtaNodeIndex startOf(HtaRowIndex row) const { return nodesOf_[row].first; }
  HtaNodeIndex endOf(HtaRowIndex row) const { return nodesOf_[row].second; }

  void makeNodes();
  void addEdge(HtaNodeIndex from, HtaNodeIndex to, HtaEdgeKind kind, HtaRowIndex row, bool weighs = true);
  void addLockEdges();
  void addStackEdges();
  void addStackEdges(const std::vector<HtaRowIndex>& thread);
  std::vector<uint32_t> mergedThreads() const;
  void addDeviceEdges();
  void addEventEdges(HtaRowIndex event, HtaNodeIndex source, HtaNodeIndex before);
  void dropRepeatedWaits();

  const HtaRows& rows_;
  std::vector<HtaNode> nodes_;
  /// By row.
  std::vector<std::pair<HtaNodeIndex, HtaNodeIndex>> nodesOf_;
  std::vector<HtaEdge> edges_;
  bool isTooLarge_ = false;
};

}  // namespace amdahlc::schedule

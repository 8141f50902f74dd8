// Edges, in the order in which they are added:
//   lock    Some calls hold one lock of the process. Into each end of such a call: from its own start, the time; from
//           the starts of others that no end has been after, 0; from the end before it, 0.
//   stack   From node to node of a thread's call stack: the time between; 0 between top-level operators, and into the
//           end of a call that waits. None between two nodes of calls with the lock, except from an end to a start.
//   device  From an event's start to its end. Into its start: from the call, if the stream was idle at the call, else
//           from the event before it on the stream, the time; and in any case from the call, 0.
//   wait    0, from the end of a device event to the start of an event that waits, or to the end of a call that does.
#include "schedule/hta_graph.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace amdahlc::schedule {
namespace {

/// A longer gap on a stream has a cause that the trace does not show.
constexpr int64_t kLongestGapUs = 1500;
/// There are a few edges per node, and besides them waits for the whole device, of which each is for every stream.
constexpr size_t kEdgesPerNode = 8, kMostOtherEdges = 10'000'000;

using PlaceOrder = std::tuple<bool, int64_t, std::string>;

/// Numbers in their order, and behind them what is no number.
PlaceOrder placeOrder(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {true, 0, text};
  return {false, number, {}};
}

}  // namespace

HtaGraph::HtaGraph(const HtaRows& rows) : rows_(rows) {
  makeNodes();
  addLockEdges();
  addStackEdges();
  addDeviceEdges();
  dropRepeatedWaits();
}

void HtaGraph::makeNodes() {
  for (HtaRowIndex index = 0; index < rows_.size(); ++index) {
    const HtaRow& row = rows_[index];
    if (!row.inScope || (row.kind != EventKind::Operator && !row.isCall() && !row.isDeviceWork())) continue;
    nodes_.push_back({row.startUs, index, true});
    nodes_.push_back({row.endUs, index, false});
  }
  const auto key = [](const HtaNode& node) { return std::tuple(node.us, node.row, !node.isStart); };
  std::sort(nodes_.begin(), nodes_.end(), [&](const HtaNode& a, const HtaNode& b) { return key(a) < key(b); });
  nodesOf_.assign(rows_.size(), {kNoIndex, kNoIndex});
  for (HtaNodeIndex node = 0; node < nodes_.size(); ++node) {
    auto& [start, end] = nodesOf_[nodes_[node].row];
    (nodes_[node].isStart ? start : end) = node;
  }
}

void HtaGraph::addEdge(HtaNodeIndex from, HtaNodeIndex to, HtaEdgeKind kind, HtaRowIndex row, bool weighs) {
  isTooLarge_ |= edges_.size() >= std::min<size_t>(kEdgesPerNode * nodes_.size() + kMostOtherEdges, kNoIndex);
  if (isTooLarge_) return;
  const bool isTime = weighs && kind != HtaEdgeKind::Order && kind != HtaEdgeKind::Wait;
  edges_.push_back({from, to, isTime ? std::max<int64_t>(0, nodes_[to].us - nodes_[from].us) : 0, row, kind});
}

void HtaGraph::addLockEdges() {
  std::vector<HtaNodeIndex> open;
  HtaNodeIndex last = kNoIndex;
  for (HtaNodeIndex node = 0; node < nodes_.size(); ++node) {
    if (!locks(node)) continue;
    if (nodes_[node].isStart) {
      open.push_back(node);
    } else {
      // Who ends first had the lock first, and all that had begun waited for it.
      for (; !open.empty(); open.pop_back()) {
        const bool isOwn = nodes_[open.back()].row == nodes_[node].row;
        addEdge(open.back(), node, isOwn ? HtaEdgeKind::Host : HtaEdgeKind::Order, nodes_[node].row);
      }
      if (last != kNoIndex && !nodes_[last].isStart) addEdge(last, node, HtaEdgeKind::Order, kNoIndex);
    }
    last = node;
  }
}

/// By track, the track on whose stack its events are. A training step runs backwards on a thread of its own while the
/// thread of the forward pass waits: both count as one, if names tell which they are.
std::vector<uint32_t> HtaGraph::mergedThreads() const {
  const Timeline& timeline = rows_.timeline();
  std::vector<uint32_t> merged(timeline.tracks.size());
  std::iota(merged.begin(), merged.end(), 0);

  const auto onlyThreadWith = [&](std::string_view word) -> const std::string* {
    std::vector<std::optional<bool>> hasWord(timeline.strings.size());
    const std::string* only = nullptr;
    for (HtaRowIndex index = 0; index < rows_.size(); ++index) {
      const HtaRow& row = rows_[index];
      if (!row.inScope || (row.kind != EventKind::Operator && row.kind != EventKind::Annotation)) continue;
      std::optional<bool>& has = hasWord[row.name.index];
      if (!has) has = timeline.text(row.name).find(word) != std::string_view::npos;
      if (!*has) continue;
      const std::string& thread = timeline.tracks[row.track].thread;
      if (only != nullptr && *only != thread) return nullptr;
      only = &thread;
    }
    return only;
  };
  const std::string* const forward = onlyThreadWith("forward");
  const std::string* const backward = onlyThreadWith("autograd");
  if (forward == nullptr || backward == nullptr || *forward == *backward) return merged;

  std::map<std::string_view, uint32_t> forwardOf;  // by process
  for (uint32_t track = 0; track < merged.size(); ++track)
    if (const Track& of = timeline.tracks[track]; !of.device && of.thread == *forward)
      forwardOf.emplace(of.process, track);
  for (uint32_t track = 0; track < merged.size(); ++track) {
    const Track& of = timeline.tracks[track];
    const auto found = forwardOf.find(of.process);
    if (!of.device && of.thread == *backward && found != forwardOf.end()) merged[track] = found->second;
  }
  return merged;
}

void HtaGraph::addStackEdges() {
  const std::vector<Track>& tracks = rows_.timeline().tracks;
  const std::vector<uint32_t> merged = mergedThreads();
  std::vector<std::vector<HtaRowIndex>> ofTrack(tracks.size());
  for (HtaRowIndex row = 0; row < rows_.size(); ++row)
    if (rows_[row].inScope && !info(rows_[row].kind).onDevice) ofTrack[merged[rows_[row].track]].push_back(row);

  std::vector<std::tuple<PlaceOrder, PlaceOrder, uint32_t>> order;
  for (uint32_t track = 0; track < tracks.size(); ++track)
    if (!ofTrack[track].empty())
      order.emplace_back(placeOrder(tracks[track].process), placeOrder(tracks[track].thread), track);
  std::sort(order.begin(), order.end());
  for (const auto& [process, thread, track] : order) addStackEdges(ofTrack[track]);
}

void HtaGraph::addStackEdges(const std::vector<HtaRowIndex>& thread) {
  // At equal times ends come first. What is longer begins before what it holds, and ends after it.
  std::vector<HtaNode> bounds;
  for (const HtaRowIndex row : thread) {
    bounds.push_back({rows_[row].startUs, row, true});
    bounds.push_back({rows_[row].endUs, row, false});
  }
  const auto key = [&](const HtaNode& bound) {
    const int64_t durationUs = rows_[bound.row].durationUs(), row = bound.row;
    return bound.isStart ? std::tuple(bound.us, true, -durationUs, row) : std::tuple(bound.us, false, durationUs, -row);
  };
  std::sort(bounds.begin(), bounds.end(), [&](const HtaNode& a, const HtaNode& b) { return key(a) < key(b); });

  std::vector<std::pair<HtaRowIndex, HtaRowIndex>> stack;  // each with what it is in
  HtaNodeIndex last = kNoIndex;
  HtaRowIndex aroundLast = kNoIndex;
  size_t depth = 0;
  for (const HtaNode& bound : bounds) {
    if (bound.isStart) stack.emplace_back(bound.row, stack.empty() ? kNoIndex : stack.back().first);
    // An end is of what began last, also where events cross.
    const auto [row, around] = stack.back();
    if (!bound.isStart) stack.pop_back();
    const HtaNodeIndex node = bound.isStart ? startOf(row) : endOf(row);
    if (node == kNoIndex) continue;  // an annotation or a frame
    const bool isLocked = last != kNoIndex && locks(last) && locks(node) && (nodes_[last].isStart || !bound.isStart);
    if (last != kNoIndex && !isLocked) {
      const bool isBetween = bound.isStart && depth == 0;
      const bool isWait = !bound.isStart && (rows_[row].call & HtaCall::kWaits) != 0;
      const HtaRowIndex of = nodes_[last].isStart ? nodes_[last].row : bound.isStart ? aroundLast : row;
      addEdge(last, node, isBetween ? HtaEdgeKind::Order : HtaEdgeKind::Host, of, !isWait);
    }
    bound.isStart ? ++depth : --depth;
    last = node;
    aroundLast = around;
  }
}

void HtaGraph::addDeviceEdges() {
  // Waits count when they are over: what they are for has begun by then.
  std::vector<std::pair<int64_t, HtaRowIndex>> order;
  for (HtaRowIndex index = 0; index < rows_.size(); ++index) {
    const HtaRow& row = rows_[index];
    if (!row.inScope || !row.hasPartner()) continue;
    if (row.isDeviceWork()) order.emplace_back(row.startUs, index);
    if (row.hasStream() ? row.wait != HtaWait::None : row.wait == HtaWait::Context || row.wait == HtaWait::Event)
      order.emplace_back(row.endUs, index);
  }
  std::sort(order.begin(), order.end());

  std::vector<HtaNodeIndex> lastEnd(rows_.streams(), kNoIndex);
  std::vector<HtaStreamIndex> used;                       // in the order of their first events
  std::unordered_map<HtaRowIndex, HtaRowIndex> sourceOf;  // only looked up
  for (const auto& [us, index] : order) {
    const HtaRow& row = rows_[index];
    const auto addWait = [&](HtaNodeIndex from) {
      if (from != kNoIndex && endOf(row.partner) != kNoIndex)
        addEdge(from, endOf(row.partner), HtaEdgeKind::Wait, kNoIndex);
    };
    switch (row.wait) {
      case HtaWait::None: {
        const auto source = sourceOf.find(index);
        HtaNodeIndex& before = lastEnd[row.stream];
        addEventEdges(index, source == sourceOf.end() ? kNoIndex : endOf(source->second), before);
        if (before == kNoIndex) used.push_back(row.stream);
        before = endOf(index);
        break;
      }
      case HtaWait::Context:
        for (const HtaStreamIndex stream : used) addWait(lastEnd[stream]);
        break;
      case HtaWait::Stream:
        addWait(lastEnd[row.stream]);
        break;
      case HtaWait::Event:
        if (const HtaRowIndex source = rows_.sourceOf(row); source != kNoIndex) addWait(endOf(source));
        break;
      case HtaWait::StreamForEvent:
        if (const HtaRowIndex source = rows_.sourceOf(row); source != kNoIndex)
          if (const HtaRowIndex target = rows_.targetOf(row); target != kNoIndex) sourceOf[target] = source;
        break;
    }
  }
}

/// `source`: the end of what the event waits for. `before`: the end of the event before it on its stream. kNoIndex for
/// none.
void HtaGraph::addEventEdges(HtaRowIndex event, HtaNodeIndex source, HtaNodeIndex before) {
  const HtaRow& row = rows_[event];
  const HtaRow& call = rows_[row.partner];
  const HtaNodeIndex start = startOf(event), callStart = startOf(row.partner);
  addEdge(start, endOf(event), HtaEdgeKind::Device, event);
  if (source != kNoIndex) addEdge(source, start, HtaEdgeKind::Wait, kNoIndex);
  const auto isBefore = [&](HtaNodeIndex node, int64_t us) { return node == kNoIndex || nodes_[node].us < us; };
  const bool isIdle =
      call.foundIdle && row.foundIdle && isBefore(before, call.startUs) && isBefore(source, call.startUs);
  if (!isIdle && before != kNoIndex && row.startUs - nodes_[before].us < kLongestGapUs &&
      isBefore(source, nodes_[before].us))
    addEdge(before, start, HtaEdgeKind::Gap, event);
  // Also without time, so that no event starts before its call, however fast others become.
  if (callStart != kNoIndex) addEdge(callStart, start, HtaEdgeKind::Launch, event, isIdle);
}

/// A call may wait for an event twice, as one of a stream and as one of the device. No other edges repeat.
void HtaGraph::dropRepeatedWaits() {
  std::vector<std::tuple<HtaNodeIndex, HtaNodeIndex, size_t>> waits;
  for (size_t edge = 0; edge < edges_.size(); ++edge)
    if (edges_[edge].kind == HtaEdgeKind::Wait) waits.emplace_back(edges_[edge].from, edges_[edge].to, edge);
  std::sort(waits.begin(), waits.end());
  std::vector<bool> isRepeated(edges_.size(), false);
  for (size_t i = 1; i < waits.size(); ++i) {
    const auto& [from, to, edge] = waits[i];
    isRepeated[edge] = std::tie(from, to) == std::tie(std::get<0>(waits[i - 1]), std::get<1>(waits[i - 1]));
  }
  size_t kept = 0;
  for (size_t edge = 0; edge < edges_.size(); ++edge)
    if (!isRepeated[edge]) edges_[kept++] = edges_[edge];
  edges_.resize(kept);
}

}  // namespace amdahlc::schedule

#include "runs/program/program.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "support/common_subsequence.h"
#include "support/sort_unique.h"

namespace amdahlc::program {

namespace {

/// A call of an iteration, or a device event of one that no operator launched.
struct Occurrence {
  HostEventId call;
  EventIndex event = kNoEvent;
  /// Of a captured call, as of device events: that of the launch of its graph.
  uint32_t track = 0;
  int64_t startNs = 0;
  bool isCaptured = false;
  /// Equal for calls that may be partners.
  uint32_t kind = 0;
};

/// Numbers the kinds of calls: name, scope and operands.
class Kinds {
 public:
  /// `facts` of the call; null if they are not known.
  uint32_t of(Symbol name, ScopeId scope, const OperatorFacts* facts) {
    const uint32_t operands = facts == nullptr ? 0 : operandsOf(*facts);
    return kinds_.try_emplace({name.index, scope.index(), operands}, static_cast<uint32_t>(kinds_.size()))
        .first->second;
  }

 private:
  /// Equal for calls of equal shapes and types.
  uint32_t operandsOf(const OperatorFacts& facts) {
    const auto [known, isNew] = byFacts_.try_emplace(&facts, 0);
    if (isNew)
      known->second = operands_.try_emplace({facts.inputDims, facts.inputTypes}, operands_.size() + 1).first->second;
    return known->second;
  }

  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> kinds_;
  std::unordered_map<const OperatorFacts*, uint32_t> byFacts_;  // looked up only
  std::map<std::pair<std::vector<std::vector<int64_t>>, std::vector<std::string>>, uint32_t> operands_;
};

/// The launch of a graph and a captured call.
using CallInGraph = std::pair<HostEventId, HostEventId>;

/// The occurrences of an iteration in order of start, those of one track in the order of its events.
using Occurrences = std::vector<Occurrence>;

class Builder {
 public:
  Builder(const Timeline& timeline, Program& program) : timeline_(timeline), program_(program) {}

  void build() {
    program_.iteration = representativeIteration(timeline_);
    program_.nodeOf.resize(timeline_.size());
    program_.outside.assign(timeline_.size(), OutsideNodes::No);
    program_.scopes.push_back({});
    if (timeline_.host) own_ = callsIn(*timeline_.host);
    if (timeline_.captured) captured_ = callsIn(*timeline_.captured);
    collect();
    addNodes();
    for (size_t iteration = 0; iteration < iterations_.size(); ++iteration) assign(iteration);
    giveEvents();
    order();
  }

 private:
  /// The calls of the run, or those of captures of its graphs.
  struct Calls {
    const HostFacts* host;
    CallTree tree;
    /// In the program.
    IdVector<HostEventId, ScopeId> scopeOf;
  };

  Calls callsIn(const HostFacts& host) {
    CallScopes scopes(timeline_, host);
    // Behind those that are there, apart from the root.
    const auto before = static_cast<uint32_t>(program_.scopes.size() - 1);
    const auto moved = [&](ScopeId scope) {
      return scope.isNone() || scope == kRootScope ? scope : ScopeId(scope.index() + before);
    };
    for (const ScopeId scope : scopes.scopes.ids())
      if (scope != kRootScope)
        program_.scopes.push_back({moved(scopes.scopes[scope].parent), scopes.scopes[scope].name});
    for (const HostEventId event : scopes.scopeOf.ids()) scopes.scopeOf[event] = moved(scopes.scopeOf[event]);
    return {&host, CallTree(timeline_, host), std::move(scopes.scopeOf)};
  }

  /// What a device event without a call ran under: its launch, else none.
  HostEventId launchOf(EventIndex event) const {
    return timeline_.host ? timeline_.host->launch[event] : HostEventId();
  }

  HostEventId ownCallOf(EventIndex event) const {
    return own_ ? own_->tree.nodeOfEvent(*own_->host, event) : HostEventId();
  }

  /// Of an event of a graph.
  HostEventId capturedCallOf(EventIndex event) const {
    return captured_ ? captured_->tree.nodeOfEvent(*captured_->host, event) : HostEventId();
  }

  bool isAroundCalls(EventIndex event) const { return own_ && !timeline_.hasDevice && ownCallOf(event).isNone(); }

  ScopeId scopeOf(const Occurrence& one) const {
    if (one.isCaptured) return captured_->scopeOf[one.call];
    if (!one.call.isNone()) return own_->scopeOf[one.call];
    if (captured_)
      if (const HostEventId launch = captured_->host->launch[one.event]; !launch.isNone())
        return captured_->scopeOf[launch];
    const HostEventId launch = launchOf(one.event);
    return launch.isNone() ? kRootScope : own_->scopeOf[launch];
  }

  Symbol nameOf(const Occurrence& one) const {
    return one.call.isNone() ? timeline_.name[one.event] : (one.isCaptured ? captured_ : own_)->host->name[one.call];
  }

  const OperatorFacts* factsOf(const Occurrence& one) const {
    return one.call.isNone() ? nullptr : (one.isCaptured ? captured_ : own_)->host->operatorFactsOf(one.call);
  }

  /// Finds the occurrences of each selected iteration. A call is of the iteration of its first device event, or,
  /// without one, of its own start.
  void collect() {
    iterations_.resize(timeline_.iterations.size());
    const auto isSelected = [&](int32_t iteration) {
      return iteration != kNoIteration && timeline_.iterations[static_cast<size_t>(iteration)].selected();
    };
    const auto add = [&](Occurrence one, int32_t iteration) {
      if (!isSelected(iteration)) return;
      one.kind = kinds_.of(nameOf(one), scopeOf(one), factsOf(one));
      iterations_[static_cast<size_t>(iteration)].push_back(one);
    };
    IdVector<HostEventId, bool> isDone(own_ ? own_->host->size() : 0, false);
    const auto addCall = [&](HostEventId call, int32_t iteration) {
      if (isDone[call] || !isSelected(iteration)) return;
      isDone[call] = true;
      add({call, kNoEvent, timeline_.host->track[call], timeline_.host->startNs[call]}, iteration);
    };
    std::set<CallInGraph> isDoneInGraph;
    for (EventIndex event = 0; event < timeline_.size(); ++event) {
      if (!timeline_.isSelected(event)) continue;
      if (isAroundCalls(event)) {
        program_.outside[event] = OutsideNodes::AroundCalls;
      } else if (const HostEventId captured = capturedCallOf(event); !captured.isNone()) {
        const HostEventId launch = launchOf(event);
        if (isDoneInGraph.emplace(launch, captured).second)
          add({captured, event, timeline_.host->track[launch], timeline_.host->startNs[launch], true},
              timeline_.iteration[event]);
      } else if (const HostEventId call = ownCallOf(event); !call.isNone()) {
        addCall(call, timeline_.iteration[event]);
      } else {
        const HostEventId launch = launchOf(event);
        const int64_t startNs = launch.isNone() ? timeline_.startNs[event] : timeline_.host->startNs[launch];
        add({HostEventId(), event, timeline_.track[event], startNs}, timeline_.iteration[event]);
      }
    }
    if (own_)
      for (const HostEventId event : own_->tree.nodeOf.ids())
        if (own_->tree.nodeOf[event] == event) addCall(event, own_->host->iteration[event]);
    // The calls of the iteration before the selected ones, of which an execution trace may tell. No event of it counts.
    const auto first = std::ranges::find_if(timeline_.iterations, &Iteration::selected);
    const auto before = static_cast<int32_t>(first - timeline_.iterations.begin()) - 1;
    if (own_ && before >= 0)
      for (const HostEventId call : own_->tree.nodeOf.ids()) {
        if (isDone[call] || own_->tree.nodeOf[call] != call || own_->host->iteration[call] != before) continue;
        Occurrence one{call, kNoEvent, timeline_.host->track[call], timeline_.host->startNs[call]};
        one.kind = kinds_.of(nameOf(one), scopeOf(one), factsOf(one));
        iterations_[static_cast<size_t>(before)].push_back(one);
      }
    for (Occurrences& one : iterations_)
      std::ranges::stable_sort(one, {}, [](const Occurrence& at) {
        const bool isOfEvent = at.event != kNoEvent;
        return std::tuple(at.startNs, isOfEvent, isOfEvent ? at.event : at.call.index());
      });
  }

  void addNodes() {
    for (const Occurrence& one : iterations_[program_.iteration])
      program_.nodes.push_back({one.call, one.event, nameOf(one), scopeOf(one), one.isCaptured, one.track, {}});
    if (own_) program_.nodeOfCall.resize(own_->host->size());
  }

  /// Assigns the occurrences of an iteration to nodes, by thread and stream.
  void assign(size_t iteration) {
    const Occurrences& nodes = iterations_[program_.iteration];
    const Occurrences& others = iterations_[iteration];
    const auto give = [&](const Occurrence& one, size_t node) {
      if (one.call.isNone())
        program_.nodeOf[one.event] = NodeId(node);
      else if (one.isCaptured)
        nodeOfCaptured_[{launchOf(one.event), one.call}] = NodeId(node);
      else
        program_.nodeOfCall[one.call] = NodeId(node);
    };
    if (iteration == program_.iteration) {
      for (size_t i = 0; i < nodes.size(); ++i) give(nodes[i], i);
      return;
    }
    // By track: the places of its occurrences.
    std::map<uint32_t, std::pair<std::vector<size_t>, std::vector<size_t>>> tracks;
    for (size_t i = 0; i < nodes.size(); ++i) tracks[nodes[i].track].first.push_back(i);
    for (size_t i = 0; i < others.size(); ++i) tracks[others[i].track].second.push_back(i);
    for (const auto& [track, places] : tracks) {
      const auto kindsOf = [](const Occurrences& all, const std::vector<size_t>& at) {
        std::vector<uint32_t> kinds;
        kinds.reserve(at.size());
        for (const size_t place : at) kinds.push_back(all[place].kind);
        return kinds;
      };
      for (const auto& [node, other] : commonSubsequence(kindsOf(nodes, places.first), kindsOf(others, places.second)))
        give(others[places.second[other]], places.first[node]);
    }
  }

  void giveEvents() {
    for (EventIndex event = 0; event < timeline_.size(); ++event) {
      if (!timeline_.isSelected(event) || program_.outside[event] != OutsideNodes::No) continue;
      if (const HostEventId captured = capturedCallOf(event); !captured.isNone()) {
        const auto found = nodeOfCaptured_.find({launchOf(event), captured});
        if (found != nodeOfCaptured_.end()) program_.nodeOf[event] = found->second;
      } else if (const HostEventId call = ownCallOf(event); !call.isNone()) {
        program_.nodeOf[event] = program_.nodeOfCall[call];
      }
      if (program_.nodeOf[event].isNone()) program_.outside[event] = OutsideNodes::OtherIteration;
    }
  }

  /// Sets the order on threads and on streams. An edge leads to a later node, so that there is no cycle.
  void order() {
    std::vector<NodeId> last(timeline_.tracks.size());
    const auto follow = [&](uint32_t track, NodeId node) {
      const NodeId before = std::exchange(last[track], node);
      if (!before.isNone() && before < node) program_.nodes[node].after.push_back(before);
    };
    for (const NodeId node : program_.nodes.ids())
      if (!program_.nodes[node].call.isNone()) follow(program_.nodes[node].track, node);
    for (EventIndex event = 0; event < timeline_.size(); ++event)
      if (timeline_.hasDevice && timeline_.iteration[event] == static_cast<int32_t>(program_.iteration) &&
          !program_.nodeOf[event].isNone())
        follow(timeline_.track[event], program_.nodeOf[event]);
    for (Node& node : program_.nodes) sortUnique(node.after);
  }

  const Timeline& timeline_;
  Program& program_;
  Kinds kinds_;
  /// Of the run, and of captures.
  std::optional<Calls> own_, captured_;
  std::vector<Occurrences> iterations_;
  std::map<CallInGraph, NodeId> nodeOfCaptured_;
};

}  // namespace

const OperatorFacts* operatorFactsOf(const Timeline& timeline, const Node& node) {
  if (node.call.isNone()) return nullptr;
  return (node.isCaptured ? timeline.captured : timeline.host)->operatorFactsOf(node.call);
}

Program::Program(const Timeline& timeline) { Builder(timeline, *this).build(); }

}  // namespace amdahlc::program

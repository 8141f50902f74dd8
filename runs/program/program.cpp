#include "runs/program/program.h"

#include <algorithm>
#include <map>
#include <optional>
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
  uint32_t track = 0;
  int64_t startNs = 0;
  /// Equal for calls that may be partners.
  uint32_t kind = 0;
};

/// Numbers the kinds of calls: name, scope and operands.
class Kinds {
 public:
  explicit Kinds(const Timeline& timeline) : timeline_(timeline) {}

  uint32_t of(Symbol name, ScopeId scope, HostEventId call) {
    const uint32_t operands = call.isNone() ? 0 : operandsOf(call);
    return kinds_.try_emplace({name.index, scope.index(), operands}, static_cast<uint32_t>(kinds_.size()))
        .first->second;
  }

 private:
  /// Equal for calls of equal shapes and types.
  uint32_t operandsOf(HostEventId call) {
    const HostFacts& host = *timeline_.host;
    const OperatorFacts* facts = host.operatorFactsOf(call);
    if (facts == nullptr) return 0;
    const auto [known, isNew] = byFacts_.try_emplace(host.factsIndex[call], 0);
    if (isNew)
      known->second = operands_.try_emplace({facts->inputDims, facts->inputTypes}, operands_.size() + 1).first->second;
    return known->second;
  }

  const Timeline& timeline_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, uint32_t> kinds_;
  std::unordered_map<uint32_t, uint32_t> byFacts_;  // looked up only
  std::map<std::pair<std::vector<std::vector<int64_t>>, std::vector<std::string>>, uint32_t> operands_;
};

/// The occurrences of an iteration in order of start, those of one track in the order of its events.
using Occurrences = std::vector<Occurrence>;

class Builder {
 public:
  Builder(const Timeline& timeline, Program& program) : timeline_(timeline), program_(program), kinds_(timeline) {}

  void build() {
    program_.iteration = representativeIteration(timeline_);
    program_.nodeOf.resize(timeline_.size());
    program_.outside.assign(timeline_.size(), OutsideNodes::No);
    if (timeline_.host) {
      CallScopes scopes(timeline_);
      program_.scopes = std::move(scopes.scopes);
      scopeOf_ = std::move(scopes.scopeOf);
      tree_.emplace(timeline_);
    } else {
      program_.scopes.push_back({});
    }
    collect();
    addNodes();
    for (size_t iteration = 0; iteration < iterations_.size(); ++iteration) assign(iteration);
    giveEvents();
    order();
  }

 private:
  /// What a device event without a call ran under: its launch, else none.
  HostEventId launchOf(EventIndex event) const {
    return timeline_.host ? timeline_.host->launch[event] : HostEventId();
  }

  HostEventId callOf(EventIndex event) const { return tree_ ? tree_->nodeOfEvent(timeline_, event) : HostEventId(); }

  bool isAroundCalls(EventIndex event) const { return tree_ && !timeline_.hasDevice && callOf(event).isNone(); }

  ScopeId scopeOf(const Occurrence& one) const {
    const HostEventId at = one.call.isNone() ? launchOf(one.event) : one.call;
    return at.isNone() ? kRootScope : scopeOf_[at];
  }

  Symbol nameOf(const Occurrence& one) const {
    return one.call.isNone() ? timeline_.name[one.event] : timeline_.host->name[one.call];
  }

  /// Finds the occurrences of each selected iteration. A call is of the iteration of its first device event, or,
  /// without one, of its own start.
  void collect() {
    iterations_.resize(timeline_.iterations.size());
    const auto add = [&](Occurrence one, int32_t iteration) {
      if (iteration == kNoIteration || !timeline_.iterations[static_cast<size_t>(iteration)].selected()) return;
      one.kind = kinds_.of(nameOf(one), scopeOf(one), one.call);
      iterations_[static_cast<size_t>(iteration)].push_back(one);
    };
    IdVector<HostEventId, bool> isDone(tree_ ? timeline_.host->size() : 0, false);
    const auto addCall = [&](HostEventId call, int32_t iteration) {
      if (isDone[call]) return;
      isDone[call] = true;
      add({call, kNoEvent, timeline_.host->track[call], timeline_.host->startNs[call]}, iteration);
    };
    for (EventIndex event = 0; event < timeline_.size(); ++event) {
      if (!timeline_.isSelected(event)) continue;
      if (isAroundCalls(event)) {
        program_.outside[event] = OutsideNodes::AroundCalls;
      } else if (const HostEventId call = callOf(event); !call.isNone()) {
        addCall(call, timeline_.iteration[event]);
      } else {
        const HostEventId launch = launchOf(event);
        const int64_t startNs = launch.isNone() ? timeline_.startNs[event] : timeline_.host->startNs[launch];
        add({HostEventId(), event, timeline_.track[event], startNs}, timeline_.iteration[event]);
      }
    }
    if (tree_)
      for (const HostEventId event : tree_->nodeOf.ids())
        if (tree_->nodeOf[event] == event) addCall(event, timeline_.host->iteration[event]);
    for (Occurrences& one : iterations_)
      std::ranges::stable_sort(one, {}, [](const Occurrence& at) {
        return std::tuple(at.startNs, at.call.isNone(), at.call.isNone() ? at.event : at.call.index());
      });
  }

  void addNodes() {
    for (const Occurrence& one : iterations_[program_.iteration])
      program_.nodes.push_back({one.call, one.event, nameOf(one), scopeOf(one), one.track, {}});
    if (tree_) nodeOfCall_.resize(timeline_.host->size());
  }

  /// Assigns the occurrences of an iteration to nodes, by thread and stream.
  void assign(size_t iteration) {
    const Occurrences& nodes = iterations_[program_.iteration];
    const Occurrences& others = iterations_[iteration];
    const auto give = [&](const Occurrence& one, size_t node) {
      if (one.call.isNone())
        program_.nodeOf[one.event] = NodeId(node);
      else
        nodeOfCall_[one.call] = NodeId(node);
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
      if (const HostEventId call = callOf(event); !call.isNone()) program_.nodeOf[event] = nodeOfCall_[call];
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
  std::optional<CallTree> tree_;
  IdVector<HostEventId, ScopeId> scopeOf_;
  std::vector<Occurrences> iterations_;
  IdVector<HostEventId, NodeId> nodeOfCall_;
};

}  // namespace

Program::Program(const Timeline& timeline) { Builder(timeline, *this).build(); }

}  // namespace amdahlc::program

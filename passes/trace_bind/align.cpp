#include "passes/trace_bind/align.h"

#include <algorithm>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "passes/trace_bind/families.h"
#include "passes/trace_bind/search_state.h"

namespace amdahlc::binding {

using ir::kNone;
using ir::OpId;

namespace {

constexpr uint32_t kNoHistory = 0xffffffffu;

/// The cost of the operators that one step skips. It grows more slowly beyond `kFull`, because operators usually do not
/// run in groups.
int64_t skipPenalty(int64_t cost) {
  constexpr int64_t kFull = 8000;
  return cost <= kFull ? cost : kFull + (cost - kFull) / 4;
}
/// Beyond this cost the exact sum no longer changes a decision.
constexpr int64_t kSkipHorizon = 20000;
/// A hypothesis this far behind the best one is dropped. It is about the score of two launches with all possible
/// evidence.
constexpr int64_t kMaxScoreGap = 8000;
/// Number of hypotheses kept that agree on every operator that launches something.
constexpr size_t kOptionalVariants = 6;

class Search {
 public:
  Search(const AlternativeGraph& graph, Scorer& scorer, const Launches& all, std::span<const Launch> launches,
         const AlignOptions& options)
      : graph_(graph),
        scorer_(scorer),
        all_(all),
        launches_(launches),
        options_(options),
        families_(graph, all.runtime(), options.order, options.allowed),
        seen_(graph.module().ops.size(), 0),
        pooled_(graph.alternatives().size(), 0),
        scores_(graph.alternatives().size()),
        scoredAt_(graph.alternatives().size(), 0xffffffffu),
        buckets_(launches.size() + 1) {}

  Alignment run();

 private:
  enum class Action : uint8_t { Start, Unbound, SameCall, NextTrip };
  /// A transition that is not yet applied. Most never are, so that a proposal is cheap.
  struct Proposal {
    int64_t score = 0;
    std::shared_ptr<SearchState> from;
    Action action = Action::Unbound;
    AlternativeId alternative = kNoAlternative;
    uint32_t position = 0, length = 1;
    int32_t fit = 0;
    bool adjacent = false;
    bool inOrder = true;
    /// For `NextTrip`: the loop.
    OpId loop = kNone;
  };
  struct Step {
    uint32_t previous = kNoHistory;
    Action action = Action::Unbound;
    AlternativeId alternative = kNoAlternative;
    uint32_t position = 0, length = 1;
    bool inOrder = true;
    OpId loop = kNone;
  };

  void expand(const std::shared_ptr<SearchState>& state, size_t position);
  /// `loop`: the loop whose next trip starts.
  void proposeStart(const std::shared_ptr<SearchState>& state, size_t position, AlternativeId id, Action action,
                    OpId loop = kNone);
  void proposeNextTrip(const std::shared_ptr<SearchState>& state, size_t position, OpId loop);
  void pool(SearchState& state, size_t position);
  void addToPool(AlternativeId id, size_t position);
  bool isAlive(const SearchState& state, AlternativeId id) const;
  /// Collects in `skippedOps_` the open operators that `id` waits for, directly or through open ones, and returns their
  /// cost. `adjacent`: whether `id` waits for an operator of the last kernel.
  int64_t skipped(const SearchState& state, AlternativeId id, bool all, bool& adjacent);
  /// Hashes of the status after a proposal: of all operators, and of those that launch something.
  struct Outcome {
    uint64_t hash, workHash;
  };
  /// Collects the operators that the proposal skips in `skippedOps_`.
  Outcome outcome(const Proposal& proposal);
  /// The state after the proposal. Precondition: `outcome(proposal)` was the last call.
  std::shared_ptr<SearchState> take(const Proposal& proposal);
  void reopen(SearchState& state, OpId loop) const;
  const std::optional<LaunchScore>& scoreOf(size_t position, AlternativeId id);
  Alignment finish(const SearchState& best);

  const AlternativeGraph& graph_;
  Scorer& scorer_;
  const Launches& all_;
  std::span<const Launch> launches_;
  const AlignOptions& options_;
  Families families_;
  IdVector<OpId, uint32_t> seen_;
  uint32_t seenStamp_ = 0;
  std::vector<OpId> skippedOps_;
  std::vector<uint32_t> pooled_;
  uint32_t poolStamp_ = 0;
  std::vector<AlternativeId> pool_;
  // By alternative; valid if `scoredAt_` is the current position.
  std::vector<std::optional<LaunchScore>> scores_;
  std::vector<uint32_t> scoredAt_;
  std::vector<std::vector<Proposal>> buckets_;
  std::vector<Step> history_;
  int64_t expanded_ = 0;
};

bool Search::isAlive(const SearchState& state, AlternativeId id) const {
  const Alternative& alternative = graph_.alternatives()[id];
  bool anyOpen = false;
  for (const OpId op : alternative.ops) {
    const OpStatus status = state.status[op];
    anyOpen |= status == OpStatus::Open;
    if (status == OpStatus::Claimed && !alternative.recompute) return false;
    if (status == OpStatus::Skipped && !graph_.isFree(op)) return false;
  }
  return anyOpen;
}

int64_t Search::skipped(const SearchState& state, AlternativeId id, bool all, bool& adjacent) {
  ++seenStamp_;
  skippedOps_.clear();
  adjacent = false;
  int64_t cost = 0;
  const Alternative& alternative = graph_.alternatives()[id];
  for (const OpId op : alternative.ops) seen_[op] = seenStamp_;
  std::vector<OpId>& stack = skippedOps_;
  const auto visit = [&](OpId op) {
    for (const OpId waited : graph_.waitsFor(op)) {
      if (seen_[waited] == seenStamp_) continue;
      seen_[waited] = seenStamp_;
      const OpStatus status = state.status[waited];
      if (status == OpStatus::Open) {
        stack.push_back(waited);
        cost += graph_.skipCost(waited);
      } else if (status == OpStatus::Claimed && state.last != kNoAlternative && !adjacent) {
        const auto& lastOps = graph_.alternatives()[state.last].ops;
        adjacent = std::binary_search(lastOps.begin(), lastOps.end(), waited);
      } else if (status == OpStatus::Skipped && graph_.isFree(waited)) {
        // A skipped view yields its operand. One step is enough to recognise a neighbour.
        for (const OpId behind : graph_.waitsFor(waited)) {
          if (state.last == kNoAlternative || adjacent || state.status[behind] != OpStatus::Claimed) continue;
          const auto& lastOps = graph_.alternatives()[state.last].ops;
          adjacent = std::binary_search(lastOps.begin(), lastOps.end(), behind);
        }
      }
    }
  };
  for (const OpId op : alternative.ops) visit(op);
  for (size_t i = 0; i < stack.size(); ++i) {
    if (!all && cost > kSkipHorizon) break;
    visit(stack[i]);
  }
  return cost;
}

const std::optional<LaunchScore>& Search::scoreOf(size_t position, AlternativeId id) {
  if (scoredAt_[id] != position) {
    scoredAt_[id] = static_cast<uint32_t>(position);
    scores_[id] = scorer_.score(position, id);
  }
  return scores_[id];
}

void Search::addToPool(AlternativeId id, size_t position) {
  if (pooled_[id] == poolStamp_ || (options_.allowed && !(*options_.allowed)[id])) return;
  pooled_[id] = poolStamp_;
  if (scoreOf(position, id)) pool_.push_back(id);
}

/// Alternatives worth trying: the next few of each family that the launch selects, those of its module, and those that
/// use a result of the last kernel.
void Search::pool(SearchState& state, size_t position) {
  constexpr size_t kWindow = 8, kModuleWindow = 32, kScan = 64, kNeighbours = 48;
  ++poolStamp_;
  pool_.clear();
  const auto fromFamily = [&](uint32_t family, size_t window) {
    const auto& members = families_.members(family);
    uint32_t first = 0;
    if (const auto cursor = families_.cursor(family)) {
      uint32_t& at = state.cursor[*cursor];
      while (at < members.size() && !isAlive(state, members[at])) ++at;
      first = at;
    }
    size_t taken = 0;
    for (size_t i = first, end = std::min(members.size(), first + kScan); i < end && taken < window; ++i) {
      if (!isAlive(state, members[i])) continue;
      addToPool(members[i], position);
      ++taken;
    }
  };
  for (const uint32_t family : families_.of(scorer_, all_, launches_[position], position)) fromFamily(family, kWindow);
  if (const ModulePlace place = scorer_.place(position); place.known()) {
    if (const auto family = families_.ofScope(scorer_.moduleScope(position))) fromFamily(*family, kModuleWindow);
  }
  if (state.last == kNoAlternative) return;
  ++seenStamp_;
  std::vector<OpId> frontier = graph_.alternatives()[state.last].ops;
  for (size_t i = 0; i < frontier.size() && i < kNeighbours; ++i) {
    for (const OpId next : graph_.waiting(frontier[i])) {
      if (seen_[next] == seenStamp_ || state.status[next] == OpStatus::Claimed) continue;
      seen_[next] = seenStamp_;
      for (const AlternativeId id : graph_.holding(next)) {
        if (isAlive(state, id)) addToPool(id, position);
      }
      if (graph_.isFree(next)) frontier.push_back(next);
    }
  }
}

void Search::proposeStart(const std::shared_ptr<SearchState>& state, size_t position, AlternativeId id, Action action,
                          OpId loop) {
  const LaunchScore& found = *scoreOf(position, id);
  Proposal proposal;
  bool adjacent = false;
  const int64_t cost = skipped(*state, id, false, adjacent);
  proposal.inOrder = adjacent || action == Action::NextTrip || families_.rank(id) >= state->lastRank;
  proposal.score = state->score + found.score - skipPenalty(cost) + (adjacent ? score::kFollowsData : 0) +
                   (proposal.inOrder ? 0 : score::kOutOfOrder);
  if (action == Action::NextTrip) proposal.score += score::kNextTrip;
  proposal.from = state;
  proposal.action = action;
  proposal.loop = loop;
  proposal.alternative = id;
  proposal.position = static_cast<uint32_t>(position);
  proposal.length = found.length;
  proposal.fit = found.fitScore;
  proposal.adjacent = adjacent;
  buckets_[position + found.length].push_back(std::move(proposal));
}

void Search::expand(const std::shared_ptr<SearchState>& state, size_t position) {
  ++expanded_;
  const Launch& launch = launches_[position];
  Proposal unbound;
  unbound.score = state->score + score::kUnbound;
  unbound.from = state;
  unbound.position = static_cast<uint32_t>(position);
  buckets_[position + 1].push_back(unbound);

  if (state->last != kNoAlternative && !launch.call.isNone() && launch.call == state->lastCall &&
      scorer_.namesCall(position, state->last)) {
    const auto& further = scoreOf(position, state->last);
    Proposal same = unbound;
    same.action = Action::SameCall;
    same.alternative = state->last;
    same.fit = state->lastFit;
    same.score = state->score + (state->ownsCall ? score::kOwnCall : score::kSameCall);
    if (further && further->fitScore > state->lastFit) {
      // This is the main launch of the call: the kernel is scored as if it began here.
      same.score = state->score + further->fitScore - state->lastFit;
      same.fit = further->fitScore;
      same.length = further->length;
    }
    buckets_[position + same.length].push_back(std::move(same));
  }
  pool(*state, position);
  const std::vector<AlternativeId> candidates = pool_;
  for (const AlternativeId id : candidates) proposeStart(state, position, id, Action::Start);

  if (state->last == kNoAlternative) return;
  // Every loop around the last kernel may start its next trip. A trip of an outer loop restarts the inner ones.
  for (OpId loop = graph_.loopOf(graph_.alternatives()[state->last].anchor); loop != kNone; loop = graph_.loopOf(loop))
    proposeNextTrip(state, position, loop);
}

void Search::proposeNextTrip(const std::shared_ptr<SearchState>& state, size_t position, OpId loop) {
  auto again = std::make_shared<SearchState>(*state);
  reopen(*again, loop);
  ++poolStamp_;
  pool_.clear();
  constexpr size_t kBodyWindow = 64;
  const auto& body = graph_.bodyOf(loop);
  for (size_t i = 0; i < body.size() && i < kBodyWindow; ++i) {
    if (state->status[body[i]] == OpStatus::Open) continue;
    for (const AlternativeId id : graph_.holding(body[i])) {
      if (!isAlive(*state, id) && isAlive(*again, id)) addToPool(id, position);
    }
  }
  const std::vector<AlternativeId> repeated = pool_;
  for (const AlternativeId id : repeated) proposeStart(again, position, id, Action::NextTrip, loop);
}

void Search::reopen(SearchState& state, OpId loop) const {
  for (const OpId op : graph_.bodyOf(loop)) {
    if (state.status[op] == OpStatus::Open) continue;
    state.status.set(op, OpStatus::Open);
    state.openCost += graph_.skipCost(op);
  }
  state.workHash = 0;
  for (const OpId op : graph_.module().ops.ids())
    if (!graph_.isFree(op)) state.workHash ^= StatusMap::mix(op, state.status[op]);
  std::fill(state.cursor.begin(), state.cursor.end(), 0);
}

Search::Outcome Search::outcome(const Proposal& proposal) {
  skippedOps_.clear();
  Outcome outcome{proposal.from->status.hash(), proposal.from->workHash};
  if (proposal.action != Action::Start && proposal.action != Action::NextTrip) return outcome;
  bool adjacent = false;
  const StatusMap& status = proposal.from->status;
  skipped(*proposal.from, proposal.alternative, true, adjacent);
  const auto change = [&](OpId op, OpStatus to) {
    const uint64_t difference = StatusMap::mix(op, status[op]) ^ StatusMap::mix(op, to);
    outcome.hash ^= difference;
    if (!graph_.isFree(op)) outcome.workHash ^= difference;
  };
  for (const OpId op : skippedOps_) change(op, OpStatus::Skipped);
  for (const OpId op : graph_.alternatives()[proposal.alternative].ops) change(op, OpStatus::Claimed);
  return outcome;
}

std::shared_ptr<SearchState> Search::take(const Proposal& proposal) {
  auto state = std::make_shared<SearchState>(*proposal.from);
  state->score = proposal.score;
  history_.push_back({proposal.from->history, proposal.action, proposal.alternative, proposal.position, proposal.length,
                      proposal.inOrder, proposal.loop});
  state->history = static_cast<uint32_t>(history_.size() - 1);
  if (proposal.action == Action::SameCall) state->lastFit = proposal.fit;
  if (proposal.action != Action::Start && proposal.action != Action::NextTrip) return state;
  const auto close = [&](OpId op, OpStatus to) {
    if (state->status[op] == OpStatus::Open) state->openCost -= graph_.skipCost(op);
    state->status.set(op, to);
  };
  for (const OpId op : skippedOps_) close(op, OpStatus::Skipped);
  for (const OpId op : graph_.alternatives()[proposal.alternative].ops) close(op, OpStatus::Claimed);
  const Launch& launch = launches_[proposal.position];
  state->last = proposal.alternative;
  state->lastCall = launches_[proposal.position + proposal.length - 1].call;
  state->lastRank = families_.rank(proposal.alternative);
  state->lastFit = proposal.fit;
  state->ownsCall = launch.call == state->lastCall && scorer_.ownsCall(proposal.position, proposal.alternative);
  return state;
}

Alignment Search::run() {
  auto start = std::make_shared<SearchState>(graph_.module().ops.size());
  start->cursor.assign(families_.cursorCount(), 0);
  for (const OpId op : graph_.module().ops.ids()) start->openCost += graph_.skipCost(op);
  scorer_.start(launches_);
  std::vector<std::shared_ptr<SearchState>> states{start};
  for (size_t position = 0; position <= launches_.size(); ++position) {
    if (position > 0) {
      auto& proposals = buckets_[position];
      std::stable_sort(proposals.begin(), proposals.end(),
                       [](const Proposal& a, const Proposal& b) { return a.score > b.score; });
      states.clear();
      std::unordered_set<uint64_t> taken;                // looked up only
      std::unordered_map<uint64_t, size_t> takenOfWork;  // looked up only
      for (const Proposal& proposal : proposals) {
        if (states.size() >= options_.beamWidth || proposal.score + kMaxScoreGap < proposals.front().score) break;
        // If the call continues, states with different last kernels are different.
        const bool starts = proposal.action == Action::Start || proposal.action == Action::NextTrip;
        const HostEventId call =
            starts ? launches_[proposal.position + proposal.length - 1].call : proposal.from->lastCall;
        const AlternativeId last = starts ? proposal.alternative : proposal.from->last;
        const bool callGoesOn = position < launches_.size() && !call.isNone() && launches_[position].call == call;
        const Outcome reached = outcome(proposal);
        if (!taken.insert(reached.hash ^ (callGoesOn ? (uint64_t{last} + 1) * 0x9e3779b97f4a7c15ull : 0)).second)
          continue;
        // Hypotheses that differ only in copies of views must not displace the others.
        if (++takenOfWork[reached.workHash] > kOptionalVariants) continue;
        states.push_back(take(proposal));
        states.back()->workHash = reached.workHash;
      }
      proposals = {};
    }
    if (position == launches_.size()) break;
    for (const auto& state : states) expand(state, position);
  }
  const SearchState* best = nullptr;
  for (const auto& state : states) {
    state->score -= skipPenalty(state->openCost);
    if (!best || state->score > best->score) best = state.get();
  }
  return finish(*best);
}

Alignment Search::finish(const SearchState& best) {
  Alignment alignment;
  alignment.score = best.score;
  alignment.statesExpanded = expanded_;
  alignment.bindings.resize(launches_.size());
  std::vector<const Step*> steps;
  for (uint32_t at = best.history; at != kNoHistory; at = history_[at].previous) steps.push_back(&history_[at]);
  std::reverse(steps.begin(), steps.end());
  std::vector<bool> used(graph_.alternatives().size(), false);
  std::set<OpId> onTrip;  // loops with a bound launch in their current trip
  const auto isInside = [&](OpId op, OpId outer) {
    for (OpId loop = graph_.loopOf(op); loop != kNone; loop = graph_.loopOf(loop))
      if (loop == outer) return true;
    return false;
  };
  for (const Step* step : steps) {
    alignment.asExpected &= step->alternative != kNoAlternative && step->inOrder;
    if (step->alternative == kNoAlternative) continue;
    if (step->action == Action::NextTrip) {
      std::erase_if(onTrip, [&](OpId inner) { return inner == step->loop || isInside(inner, step->loop); });
    }
    for (OpId loop = graph_.loopOf(graph_.alternatives()[step->alternative].anchor); loop != kNone;
         loop = graph_.loopOf(loop))
      if (onTrip.insert(loop).second) ++alignment.trips[loop];
    if (!used[step->alternative]) alignment.used.push_back(step->alternative);
    used[step->alternative] = true;
    for (size_t i = step->position; i < step->position + step->length; ++i) {
      const auto found = scorer_.score(i, step->alternative);
      LaunchBinding& binding = alignment.bindings[i];
      binding.alternative = step->alternative;
      // Launches after the first of a sequence have the evidence of the sequence.
      const auto first = scorer_.score(step->position, step->alternative);
      const bool sequence = step->action != Action::SameCall && first;
      const LaunchScore& result = sequence ? *first : found ? *found : LaunchScore{};
      binding.evidence = result.evidence;
      if (step->action == Action::SameCall) binding.evidence |= static_cast<ir::EvidenceSet>(ir::Evidence::Operator);
      if (step->inOrder) binding.evidence |= static_cast<ir::EvidenceSet>(ir::Evidence::Order);
      binding.confidencePermille = confidence(binding.evidence, result.contradictions);
    }
  }
  return alignment;
}

}  // namespace

Alignment align(const AlternativeGraph& graph, Scorer& scorer, const Launches& all, std::span<const Launch> launches,
                const AlignOptions& options) {
  return Search(graph, scorer, all, launches, options).run();
}

}  // namespace amdahlc::binding

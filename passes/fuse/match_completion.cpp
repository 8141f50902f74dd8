// The second half of the matcher: further results of a pattern, then the conditions on a match as a whole.
#include <algorithm>
#include <utility>

#include "passes/fuse/matcher.h"
#include "support/limits.h"
#include "support/sort_unique.h"

namespace amdahlc {

using ir::kNone;
using ir::OpId;
using ir::PatternNode;
using ir::ValueId;
using Reason = MatchFailure::Reason;

namespace {

/// Limit on the operators between a bound value and a further result.
constexpr unsigned kMaxClimb = 16;

}  // namespace

bool Matcher::solveFurtherResults() {
  const auto& results = pattern_->results;
  for (size_t i = 1; i < results.size(); ++i) {
    if (bound_[results[i]] != kUnboundValue) continue;
    std::vector<ValueId> found;
    collectUpwards(results[i], found, 0);
    sortUnique(found);
    bool stop = false;
    for (size_t k = 0; k < found.size() && !stop; ++k) {
      const size_t goalsBefore = goals_.size();
      stop = solve(push(results[i], found[k], kNone, kEnd));
      goals_.resize(goalsBefore);
    }
    if (found.empty()) fail(Reason::NoFurtherResult, {results[i], kNone, kNone, kEnd});
    return stop;
  }
  return complete();
}

bool Matcher::reachesBound(uint32_t value, unsigned depth) {
  if (bound_[value] != kUnboundValue) return bound_[value] != kNone;
  if (depth >= kMaxClimb || !spend()) return false;
  for (const auto& definition : pattern_->values[value].definitions) {
    if (definition.alias) {
      if (reachesBound(definition.index, depth + 1)) return true;
      continue;
    }
    const auto& operands = pattern_->nodes[definition.index].operands;
    if (std::any_of(operands.begin(), operands.end(),
                    [&](uint32_t operand) { return reachesBound(operand, depth + 1); }))
      return true;
  }
  return false;
}

/// Collects values of the module that `value` may match, through the uses of bound values. A superset: `solve` tests
/// each.
void Matcher::collectUpwards(uint32_t value, std::vector<ValueId>& found, unsigned depth) {
  if (bound_[value] != kUnboundValue) {
    if (bound_[value] != kNone) found.push_back(bound_[value]);
    return;
  }
  if (depth >= kMaxClimb || !spend()) return;
  for (const auto& definition : pattern_->values[value].definitions) {
    if (definition.alias) {
      collectUpwards(definition.index, found, depth + 1);
      continue;
    }
    const uint32_t nodeIndex = definition.index;
    const PatternNode& node = pattern_->nodes[nodeIndex];
    if (opOfNode_[nodeIndex] != kNone) continue;
    const auto isBound = [&](uint32_t operand) { return bound_[operand] != kUnboundValue && bound_[operand] != kNone; };
    auto from = std::find_if(node.operands.begin(), node.operands.end(), isBound);
    if (from == node.operands.end()) {
      from = std::find_if(node.operands.begin(), node.operands.end(),
                          [&](uint32_t operand) { return reachesBound(operand, depth + 1); });
    }
    if (from == node.operands.end()) continue;

    std::vector<ValueId> level;
    collectUpwards(*from, level, depth + 1);
    if (node.min == 0) found.insert(found.end(), level.begin(), level.end());
    // One round for a single operator, more for a chain of them.
    for (uint32_t round = 0; !level.empty() && (node.max == 0 || round < node.max); ++round) {
      std::vector<ValueId> next;
      for (const ValueId operand : level) {
        for (const ir::OperatorGraph::Use& use : graph_.uses(operand)) {
          if (!spend() || found.size() >= limits::kFurtherResults) {
            truncated_ = true;
            return;
          }
          if (!graph_.isLive(use.op) || graph_.graph(use.op) != graph_.graph(root_) || isTaken(use.op)) continue;
          if (!compiled_->nodes[nodeIndex].operators.contains(index_.classOf(use.op))) continue;
          const auto outputs = graph_.outputs(use.op);
          if (definition.output < outputs.size() && outputs[definition.output] != kNone) {
            if (round + 1 >= node.min) found.push_back(outputs[definition.output]);
          }
          if (!outputs.empty() && outputs[0] != kNone) next.push_back(outputs[0]);
        }
      }
      level = std::move(next);
    }
  }
}

bool Matcher::complete() {
  if (taken_.empty()) return false;
  sorted_ = taken_;
  std::sort(sorted_.begin(), sorted_.end());
  for (size_t i = firstMatch_; i < matches_->size(); ++i) {
    if ((*matches_)[i].ops == sorted_) return false;
  }
  const Goal whole{ir::kNoIndex, kNone, kNone, kEnd};
  if (!onlyResultsAreLiveOut()) return false;
  for (uint32_t i = 0; i < compiled_->where.size(); ++i) {
    if (!compiled_->where[i].holds(scope().leaves())) return fail(Reason::Condition, whole, ir::kNoIndex, kNone, i);
  }
  if (!isConvex()) return false;
  if (matches_->size() - firstMatch_ >= limits_.matchesPerRoot) {
    // This match is beyond the limit, so the enumeration is incomplete.
    truncated_ = true;
    return true;
  }
  record();
  return false;
}

/// Whether every live-out value is a result or `shared`. Collects the live-out values: results in the order of the
/// pattern, then shared ones.
bool Matcher::onlyResultsAreLiveOut() {
  auto& results = results_;
  results.clear();
  const auto isProducedInside = [&](ValueId value) {
    return graph_.producer(value) != kNone && isTaken(graph_.producer(value));
  };
  const auto addLiveOut = [&](ValueId value) {
    if (isProducedInside(value) && std::find(results.begin(), results.end(), value) == results.end())
      results.push_back(value);
  };
  for (const uint32_t result : pattern_->results) addLiveOut(bound_[result]);
  const size_t declared = results.size();
  for (const OpId op : taken_) {
    for (const ValueId value : graph_.outputs(op)) {
      if (value == kNone || std::find(results.begin(), results.end(), value) != results.end()) continue;
      const auto uses = graph_.uses(value);
      const auto outside =
          std::find_if(uses.begin(), uses.end(), [&](const ir::OperatorGraph::Use& use) { return !isTaken(use.op); });
      if (outside == uses.end() && !graph_.isGraphOutput(value)) continue;
      // A recorded call has what it writes as further results, which no rule can know.
      bool shared = module_.isRecorded() && op == graph_.producer(bound_[pattern_->results.front()]);
      for (uint32_t i = 0; i < bound_.size() && !shared; ++i) shared = bound_[i] == value && compiled_->result[i];
      if (!shared) {
        const Goal goal{ir::kNoIndex, value, op, kEnd};
        if (outside == uses.end()) return fail(Reason::ReturnedByGraph, goal, nodeOfOp_[op]);
        return fail(Reason::UsedOutside, goal, nodeOfOp_[op], outside->op);
      }
      results.push_back(value);
    }
  }
  std::sort(results.begin() + static_cast<std::ptrdiff_t>(declared), results.end());
  return true;
}

/// Whether no path leaves the match and returns. Contracting such a match would close a cycle. All operators of such a
/// path are before the last operator of the match.
bool Matcher::isConvex() {
  if (taken_.size() == 1) return true;
  uint32_t last = 0;
  for (const OpId op : taken_) last = std::max(last, graph_.position(op));
  ++search_;
  pending_.clear();
  const auto visit = [&](OpId op) {
    if (graph_.position(op) >= last || visited_[op] == search_) return;
    visited_[op] = search_;
    pending_.push_back(op);
  };
  for (const OpId op : taken_) {
    for (const OpId user : graph_.successors(op)) {
      if (!isTaken(user)) visit(user);
    }
  }
  while (!pending_.empty()) {
    const OpId op = pending_.back();
    pending_.pop_back();
    if (!spend()) return fail(Reason::Budget, {ir::kNoIndex, kNone, kNone, kEnd}, ir::kNoIndex, op);
    for (const OpId user : graph_.successors(op)) {
      if (isTaken(user)) return fail(Reason::NotConvex, {ir::kNoIndex, kNone, user, kEnd}, ir::kNoIndex, op);
      visit(user);
    }
  }
  return true;
}

void Matcher::record() {
  ir::Candidate& candidate = matches_->emplace_back();
  candidate.rule = compiled_->rule;
  candidate.alternative = compiled_->alternative;
  candidate.root = root_;
  candidate.ops = sorted_;
  candidate.results = results_;
  OpId firstOwned = kNone;
  OpId first = kNone;
  const auto earlier = [&](OpId op, OpId than) { return than == kNone || graph_.position(op) < graph_.position(than); };
  for (const OpId op : taken_) {
    if (earlier(op, first)) first = op;
    if (index_.isUncounted(*compiled_, pattern_->nodes[nodeOfOp_[op]], op)) continue;
    ++candidate.owned;
    if (earlier(op, firstOwned)) firstOwned = op;
  }
  candidate.anchor = firstOwned == kNone ? first : firstOwned;
  if (pattern_->anchor && opOfNode_[*pattern_->anchor] != kNone) candidate.anchor = opOfNode_[*pattern_->anchor];
}

}  // namespace amdahlc

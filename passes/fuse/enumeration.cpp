#include "passes/fuse/enumeration.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "passes/fuse/cover_builder.h"
#include "support/limits.h"

namespace amdahlc {

using ir::Candidate;
using ir::CandidateId;
using ir::OpId;

namespace {

void keepNearMiss(IdVector<OpId, NearMiss>& nearMisses, uint32_t pattern, const MatchFailure& failure) {
  const auto consider = [&](OpId op) {
    NearMiss& best = nearMisses[op];
    const bool deeper = failure.matched.size() > best.failure.matched.size();
    const bool closer =
        failure.matched.size() == best.failure.matched.size() && failure.root == op && best.failure.root != op;
    if (best.pattern == ir::kNoIndex || deeper || closer) best = {pattern, failure};
  };
  consider(failure.root);
  for (const OpId op : failure.matched) {
    if (op != failure.root) consider(op);
  }
}

/// Drops a candidate if an earlier one has the same rule and operators.
void dropRepeated(std::vector<Candidate>& candidates, const RuleIndex& index) {
  const auto key = [&](size_t candidate) { return std::tie(candidates[candidate].rule, candidates[candidate].ops); };
  std::vector<size_t> byKey;
  for (size_t i = 0; i < candidates.size(); ++i)
    if (index.mayRepeat(candidates[i].rule)) byKey.push_back(i);
  std::stable_sort(byKey.begin(), byKey.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  std::vector<bool> repeats(candidates.size());
  for (size_t i = 1; i < byKey.size(); ++i) repeats[byKey[i]] = key(byKey[i - 1]) == key(byKey[i]);
  size_t next = 0;
  std::erase_if(candidates, [&](const Candidate&) { return repeats[next++]; });
}

/// Of a match in the limit: its operators, and what it takes beside them.
int64_t weightOf(const Candidate& match) { return 32 + static_cast<int64_t>(match.ops.size()); }

Enumeration::Excess excessOf(const std::vector<std::vector<Candidate>>& byPattern, const RuleIndex& index,
                             int64_t operators) {
  std::map<ir::RuleId, int64_t> operatorsOf;
  for (size_t pattern = 0; pattern < byPattern.size(); ++pattern)
    for (const Candidate& match : byPattern[pattern]) operatorsOf[index.patterns()[pattern].rule] += weightOf(match);
  const auto most = std::ranges::max_element(operatorsOf, {}, [](const auto& ofRule) { return ofRule.second; });
  return {operators, most->first};
}

}  // namespace

void RuleAttempts::add(uint32_t pattern, bool isMatch, const MatchFailure& failure) {
  ++tried;
  if (isMatch) {
    ++matched;
    return;
  }
  ++failures[failure.reason];
  if (nearest.pattern == ir::kNoIndex || failure.matched.size() > nearest.failure.matched.size())
    nearest = {pattern, failure};
}

int64_t matchedOperatorsLimit(const ir::Module& module) {
  return limits::kFreeMatchedOperators + limits::kMatchedOperatorsPerNode * static_cast<int64_t>(module.ops.size());
}

Enumeration enumerateCandidates(const ir::Module& module, const ir::OperatorGraph& graph, const RuleIndex& index,
                                MatchLimits limits, bool wantNearMisses, const std::function<void(double)>& progress,
                                std::map<ir::RuleId, RuleAttempts>* attempts) {
  constexpr uint32_t kProgressInterval = 1u << 14;
  Enumeration result;
  if (wantNearMisses) result.nearMisses.resize(module.ops.size());
  Matcher matcher(module, graph, index, limits);
  matcher.recordFailures(wantNearMisses || attempts != nullptr);
  // The loop by operator keeps the operator's neighbourhood in the cache for all patterns. The buckets restore the
  // order of rules.
  std::vector<std::vector<Candidate>> byPattern(index.patterns().size());
  const int64_t limit = matchedOperatorsLimit(module);
  int64_t matchedOperators = 0;
  for (const OpId op : module.ops.ids()) {
    if (progress && op.index() % kProgressInterval == 0)
      progress(static_cast<double>(op.index()) / static_cast<double>(module.ops.size()));
    if (!graph.isLive(op)) continue;
    bool truncated = false;
    for (const uint32_t pattern : index.rootedAt(op)) {
      auto& matches = byPattern[pattern];
      const size_t before = matches.size();
      truncated |= !matcher.match(op, index.patterns()[pattern], matches);
      for (size_t i = before; i < matches.size(); ++i) matchedOperators += weightOf(matches[i]);
      if (matchedOperators > limit) {
        result.excess = excessOf(byPattern, index, matchedOperators);
        return result;
      }
      std::ranges::sort(std::span(matches).subspan(before), {}, &Candidate::ops);
      if (attempts != nullptr)
        if (const auto noted = attempts->find(index.patterns()[pattern].rule); noted != attempts->end())
          noted->second.add(pattern, matches.size() != before, matcher.failure());
      if (wantNearMisses && matches.size() == before) keepNearMiss(result.nearMisses, pattern, matcher.failure());
    }
    result.truncatedRoots += truncated;
  }
  result.attempts = matcher.attempts();
  result.steps = matcher.steps();
  size_t count = 0;
  for (const auto& matches : byPattern) count += matches.size();
  std::vector<Candidate> candidates;
  candidates.reserve(count);
  for (auto& matches : byPattern) {
    std::move(matches.begin(), matches.end(), std::back_inserter(candidates));
    matches = {};
  }
  dropRepeated(candidates, index);
  result.candidates = IdVector<CandidateId, Candidate>(std::move(candidates));
  assignComponents(result.candidates, module.ops.size());
  return result;
}

}  // namespace amdahlc

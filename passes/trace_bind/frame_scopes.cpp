#include "passes/trace_bind/frame_scopes.h"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/kernel_graph.h"
#include "passes/trace_bind/evidence.h"
#include "runtimes/operator_name.h"
#include "runtimes/runtime.h"

namespace amdahlc::binding {

namespace {

/// Deeper module trees are cut off. PyTorch's own printing stops long before.
constexpr unsigned kMaxDepth = 256;

std::string_view frameName(const Timeline& timeline, HostEventId frame) {
  return runtimeAdapter(timeline.target.runtime).moduleInstance(timeline.text(timeline.host->name[frame]));
}

std::string dimsText(const std::vector<int64_t>& dims) { return fmt::format("weight {}", fmt::join(dims, "x")); }

}  // namespace

FrameScopes::FrameScopes(const AlternativeGraph& graph, const ir::Cover& defaultCover, OrderKind order,
                         const Launches& launches, RuleLaunches& rules)
    : module_(graph.module()), timeline_(launches.timeline()) {
  frames_.emplace_back();
  buildScopes(graph, defaultCover, order);
  buildFrames(graph, launches, rules, defaultCover);
  finish(frames_);
  finish(scopes_);
  if (frames_.size() > 1 && scopes_.size() > 1) alignRoots();
}

uint32_t FrameScopes::description(const std::string& text) {
  return descriptions_.emplace(text, static_cast<uint32_t>(descriptions_.size())).first->second;
}

/// Copies the module's scopes. Those deeper than `kMaxDepth` get no kernel, and so are never matched.
void FrameScopes::buildScopes(const AlternativeGraph& graph, const ir::Cover& defaultCover, OrderKind order) {
  for (const ir::ScopeId scope : module_.scopes.ids()) {
    const ir::ScopeTree::Scope& from = module_.scopes[scope];
    ModuleNode& node = scopes_.emplace_back();
    node.className = std::string(module_.text(from.moduleClass));
    if (scope == ir::kRootScope) continue;
    node.parent = from.parent.index();
    scopes_[node.parent].children.push_back(scope.index());
  }
  const auto& rank = graph.rank(order);
  std::map<ir::CandidateId, AlternativeId> byCandidate;
  std::map<ir::OpId, AlternativeId> byOp;
  for (AlternativeId id = 0; id < graph.alternatives().size(); ++id) {
    const Alternative& alternative = graph.alternatives()[id];
    if (alternative.candidate == ir::kNone)
      byOp[alternative.anchor] = id;
    else if (alternative.inDefault)
      byCandidate[alternative.candidate] = id;
  }
  for (const ir::Kernel& kernel : defaultCover.kernels) {
    AlternativeId id = kNoAlternative;
    if (kernel.candidate) {
      if (const auto found = byCandidate.find(*kernel.candidate); found != byCandidate.end()) id = found->second;
    } else if (const auto found = byOp.find(kernel.anchor()); found != byOp.end()) {
      id = found->second;
    }
    if (id == kNoAlternative) continue;
    const Alternative& alternative = graph.alternatives()[id];
    if (std::all_of(alternative.ops.begin(), alternative.ops.end(),
                    [&](ir::OpId op) { return graph.skipCost(op) <= score::kSkipUnlikely; }))
      continue;
    const ir::ScopeId scope = ir::kernelScope(module_, kernel);
    if (module_.scopes[scope].depth > kMaxDepth) continue;
    const uint32_t node = scope.index();
    std::string text;
    if (!alternative.weights.empty())
      text = dimsText(alternative.weights[0]);
    else if (!alternative.vectors.empty())
      text = dimsText(alternative.vectors[0]);
    else if (alternative.rule != kNoRule)
      text = "category " + module_.rules.rules[alternative.rule].category;
    else
      text = "operator " + (alternative.typeNames.empty() ? std::string() : alternative.typeNames[0]);
    ++scopes_[node].own[description(text)];
    scopes_[node].rank = std::min(scopes_[node].rank, rank[kernel.anchor()]);
  }
}

void FrameScopes::buildFrames(const AlternativeGraph& graph, const Launches& launches, RuleLaunches& rules,
                              const ir::Cover& defaultCover) {
  if (launches.iterations().empty()) return;
  std::set<std::vector<int64_t>> weights;
  for (const Alternative& alternative : graph.alternatives()) {
    weights.insert(alternative.weights.begin(), alternative.weights.end());
    weights.insert(alternative.vectors.begin(), alternative.vectors.end());
  }
  IdVector<ir::RuleId, bool> used(module_.rules.rules.size(), false);
  for (const ir::Kernel& kernel : defaultCover.kernels)
    if (kernel.candidate) used[module_.candidates[*kernel.candidate].rule] = true;

  const auto sequence = launches.launches(launches.representative());
  for (size_t position = 0; position < sequence.size(); ++position) {
    const Launch& launch = sequence[position];
    if (launch.frame.isNone()) continue;
    uint32_t node = 0;
    for (const HostEventId frame : timeline_.host->moduleFrames(launch.event)) {
      const std::string_view name = frameName(timeline_, frame);
      const auto [entry, isNew] =
          frameByName_.emplace(std::pair{node, std::string(name)}, static_cast<uint32_t>(frames_.size()));
      if (isNew) {
        frames_.emplace_back();
        frames_.back().name = std::string(name);
        frames_.back().className = std::string(runtimeAdapter(timeline_.target.runtime).moduleClass(name));
        frames_.back().parent = node;
        frames_[node].children.push_back(entry->second);
      }
      node = entry->second;
      frames_[node].rank = std::min(frames_[node].rank, static_cast<uint32_t>(position));
    }
    // One description per call, for any number of launches.
    if (position > 0 && !launch.call.isNone() && sequence[position - 1].call == launch.call) continue;
    std::string text;
    const OperatorFacts* facts = launch.call.isNone() ? nullptr : timeline_.host->operatorFactsOf(launch.call);
    bool alike = facts != nullptr;
    for (size_t i = 0; facts && i < facts->inputDims.size(); ++i) {
      if (facts->inputDims[i].empty()) continue;
      alike &=
          facts->inputDims[i] == facts->inputDims[0];  // the first operand is a tensor in every call that uses a weight
    }
    const auto weightAmong = [&](bool matrices) {
      for (size_t i = facts->inputDims.size(); i-- > 0;) {
        std::vector<int64_t> dims = facts->inputDims[i];
        if (matrices ? dims.size() < 2 : dims.size() != 1) continue;
        // Operands of one shape, or a single operand, are activations: the sum of two of them uses no weight.
        if (alike && matrices) continue;
        std::sort(dims.begin(), dims.end());
        if (weights.contains(dims)) return dimsText(dims);
      }
      return std::string();
    };
    if (facts) {
      text = weightAmong(true);
      if (text.empty()) text = weightAmong(false);
    }
    if (text.empty()) {
      Fit best = Fit::Any;
      for (const ir::RuleId rule : rules.startable(launch.signature)) {
        const LaunchMatch match = used[rule] ? rules.match(rule, sequence, position) : LaunchMatch{};
        if (match.fit <= best) continue;
        best = match.fit;
        text = "category " + module_.rules.rules[rule].category;
      }
      if (text.empty()) {
        const auto& operators = launches.signature(launch).operators;
        text = "operator " + launches.runtime().comparableName(operators.empty() ? std::string_view()
                                                                                 : timeline_.text(operators.back()));
      }
    }
    ++frames_[node].own[description(text)];
  }
}

/// Totals of subtrees; children in the order of their first kernel, those without kernels dropped.
void FrameScopes::finish(std::vector<ModuleNode>& tree) {
  for (size_t i = tree.size(); i-- > 0;) {
    ModuleNode& node = tree[i];  // parents come before their children
    for (const auto& [what, count] : node.own) node.total[what] += count;
    if (node.parent == kNoScope) continue;
    for (const auto& [what, count] : node.total) tree[node.parent].total[what] += count;
    tree[node.parent].rank = std::min(tree[node.parent].rank, node.rank);
  }
  for (ModuleNode& node : tree) {
    std::erase_if(node.children, [&](uint32_t child) { return tree[child].total.empty(); });
    std::stable_sort(node.children.begin(), node.children.end(),
                     [&](uint32_t a, uint32_t b) { return tree[a].rank < tree[b].rank; });
  }
}

namespace {

using Counts = std::map<uint32_t, uint32_t>;

uint64_t size(const Counts& counts) {
  uint64_t sum = 0;
  for (const auto& [what, count] : counts) sum += count;
  return sum;
}

uint64_t common(const Counts& a, const Counts& b) {
  uint64_t sum = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (i->first < j->first)
      ++i;
    else if (j->first < i->first)
      ++j;
    else
      sum += std::min((i++)->second, (j++)->second);
  }
  return sum;
}

/// How well two modules agree: the number of kernels that they share, and more if they share all. Integers keep ties
/// exact.
uint64_t affinity(const ModuleNode& frame, const ModuleNode& scope) {
  const uint64_t shared = common(frame.total, scope.total);
  if (shared == 0) return 0;
  uint64_t score = shared * 500 + shared * 1000 * shared / (size(frame.total) + size(scope.total));
  if (!scope.className.empty() && scope.className == frame.className) score += 5;
  // A list of one module has the same kernels as that module. The module itself has as many children as its frame.
  if (scope.children.size() == frame.children.size()) score += 3;
  return score;
}

struct Matching {
  uint64_t score = 0;
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
};

/// The order-preserving matching of the two sequences with the largest sum of affinities.
Matching match(const std::vector<ModuleNode>& frames, const std::vector<uint32_t>& a,
               const std::vector<ModuleNode>& scopes, const std::vector<uint32_t>& b) {
  const size_t n = a.size(), m = b.size();
  std::vector<uint64_t> gain(n * m), best((n + 1) * (m + 1), 0);
  const auto at = [&](size_t i, size_t j) -> uint64_t& { return best[i * (m + 1) + j]; };
  for (size_t i = n; i-- > 0;) {
    for (size_t j = m; j-- > 0;) {
      gain[i * m + j] = affinity(frames[a[i]], scopes[b[j]]);
      at(i, j) = std::max({at(i + 1, j), at(i, j + 1), gain[i * m + j] > 0 ? at(i + 1, j + 1) + gain[i * m + j] : 0});
    }
  }
  Matching matching{at(0, 0), {}};
  for (size_t i = 0, j = 0; i < n && j < m;) {
    const uint64_t pair = gain[i * m + j];
    if (pair > 0 && at(i, j) == at(i + 1, j + 1) + pair)
      matching.pairs.emplace_back(a[i++], b[j++]);
    else if (at(i, j) == at(i + 1, j))
      ++i;
    else
      ++j;
  }
  return matching;
}

/// Replaces children that are not modules in the other tree (a `ModuleList` is never called; a wrapper has no scope) by
/// their own children.
template <typename Score>
std::vector<uint32_t> expanded(const std::vector<ModuleNode>& tree, std::vector<uint32_t> list, const Score& score) {
  for (size_t i = 0, rounds = 0; i < list.size() && rounds < kMaxDepth; ++rounds) {
    const ModuleNode& node = tree[list[i]];
    if (!node.own.empty() || node.children.empty()) {
      ++i;
      continue;
    }
    std::vector<uint32_t> opened(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(i));
    opened.insert(opened.end(), node.children.begin(), node.children.end());
    opened.insert(opened.end(), list.begin() + static_cast<std::ptrdiff_t>(i) + 1, list.end());
    if (score(opened) > score(list))
      list = std::move(opened);
    else
      ++i;
  }
  return list;
}

}  // namespace

void FrameScopes::alignRoots() {
  // The chain of heaviest children from the root. A trace may wrap the model in other modules, and an export may wrap
  // it in a module that the trace did not call.
  const auto chain = [](const std::vector<ModuleNode>& tree) {
    constexpr size_t kLevels = 6;
    std::vector<uint32_t> nodes{0};
    while (nodes.size() < kLevels) {
      const ModuleNode& node = tree[nodes.back()];
      const auto heaviest = std::max_element(node.children.begin(), node.children.end(), [&](uint32_t a, uint32_t b) {
        return size(tree[a].total) < size(tree[b].total);
      });
      if (heaviest == node.children.end() || size(tree[*heaviest].total) * 2 < size(tree[0].total)) break;
      nodes.push_back(*heaviest);
    }
    return nodes;
  };
  uint64_t bestScore = 0;
  std::pair<uint32_t, uint32_t> best{kNoScope, kNoScope};
  for (const uint32_t frame : chain(frames_)) {
    for (const uint32_t scope : chain(scopes_)) {
      // A frame without frames inside (a compiled model) contains everything below its scope.
      const bool opaque = frames_[frame].children.empty();
      const std::vector<uint32_t>& frameChildren = frames_[frame].children;
      const auto scopeChildren = expanded(scopes_, scopes_[scope].children, [&](const std::vector<uint32_t>& list) {
        return match(frames_, frameChildren, scopes_, list).score;
      });
      const uint64_t score = match(frames_, frameChildren, scopes_, scopeChildren).score +
                             1000 * common(frames_[frame].own, opaque ? scopes_[scope].total : scopes_[scope].own);
      if (score > bestScore) {
        bestScore = score;
        best = {frame, scope};
      }
    }
  }
  if (bestScore == 0) return;
  // Modules around the pair are matched as well, as long as they agree.
  while (true) {
    const uint32_t frame = frames_[best.first].parent, scope = scopes_[best.second].parent;
    if (frame == kNoScope || frame == 0 || scope == kNoScope) break;
    const auto pairs = match(frames_, frames_[frame].children, scopes_, scopes_[scope].children).pairs;
    if (std::find(pairs.begin(), pairs.end(), best) == pairs.end()) break;
    best = {frame, scope};
  }
  align(best.first, best.second, 0);
}

void FrameScopes::align(uint32_t frame, uint32_t scope, unsigned depth) {
  frames_[frame].matched = scope;
  scopes_[scope].matched = frame;
  if (depth > kMaxDepth) return;
  const std::vector<uint32_t>& frameChildren = frames_[frame].children;
  const auto scopeChildren = expanded(scopes_, scopes_[scope].children, [&](const std::vector<uint32_t>& list) {
    return match(frames_, frameChildren, scopes_, list).score;
  });
  const auto opened = expanded(frames_, frameChildren, [&](const std::vector<uint32_t>& list) {
    return match(frames_, list, scopes_, scopeChildren).score;
  });
  for (const auto& [childFrame, childScope] : match(frames_, opened, scopes_, scopeChildren).pairs)
    align(childFrame, childScope, depth + 1);
}

ModulePlace FrameScopes::place(const Launch& launch) const {
  ModulePlace place;
  if (launch.frame.isNone() || frames_.size() < 2) return place;
  uint32_t node = 0;
  for (const HostEventId frame : timeline_.host->moduleFrames(launch.event)) {
    const auto found = frameByName_.find(std::pair{node, std::string(frameName(timeline_, frame))});
    if (found == frameByName_.end()) {
      place.exact = false;
      return place;
    }
    node = found->second;
    place.exact = frames_[node].matched != kNoScope;
    if (!place.exact) continue;
    place.scope = frames_[node].matched;
    place.opaque = frames_[node].children.empty() && !scopes_[place.scope].children.empty();
  }
  return place;
}

ModuleRelation FrameScopes::relation(const ModulePlace& place, ir::ScopeId scope) const {
  const uint32_t node = scope.index();
  if (module_.scopes[scope].depth > kMaxDepth || !place.known()) return ModuleRelation::Unknown;
  if (node == place.scope) return ModuleRelation::Same;
  // Operators without a scope are at the root, and so are those whose scope the exporter lost.
  if (node == 0) return ModuleRelation::Unknown;
  if (place.opaque) {
    for (uint32_t above = node; above != kNoScope; above = scopes_[above].parent)
      if (above == place.scope) return ModuleRelation::Unknown;
  }
  if (scopes_[node].parent == place.scope || scopes_[place.scope].parent == node) {
    // An operator of a child module does not run in its parent, unless the trace never shows the child.
    if (!place.exact && scopes_[node].matched != kNoScope) return ModuleRelation::Other;
    return ModuleRelation::Near;
  }
  if (!place.exact && scopes_[node].matched == kNoScope) {
    for (uint32_t above = node; above != kNoScope; above = scopes_[above].parent)
      if (above == place.scope) return ModuleRelation::Near;
  }
  return ModuleRelation::Other;
}

size_t FrameScopes::matchedCount() const {
  return static_cast<size_t>(
      std::count_if(frames_.begin(), frames_.end(), [](const ModuleNode& node) { return node.matched != kNoScope; }));
}

}  // namespace amdahlc::binding

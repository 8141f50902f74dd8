#include "ir/segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "support/disjoint_sets.h"
#include "support/limits.h"

namespace amdahlc::ir {
namespace {

bool isNumber(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return '0' <= c && c <= '9'; });
}

class Segmentation {
 public:
  Segmentation(const Module& module, std::span<const Cover* const> covers, SegmentChoice choice)
      : module_(module), choice_(choice), atoms_(module.ops.size()) {
    for (const Cover* cover : covers) uniteKernels(*cover);
    // A scope in IR text may be of any depth, and each operator is followed through the scopes around it.
    for (const ScopeId scope : module.scopes.ids())
      shallow_.push_back(
          module.scopes[scope].depth <= limits::kScopeNesting ? scope : shallow_[module.scopes[scope].parent.index()]);
    findCommonScopes();
    findRespectedScopes();
  }

  Segments run() {
    Segments result;
    for (const OpId op : module_.ops.ids()) {
      result.ofOp.push_back(Segments::kNoSegment);
      if (module_.ops[op].state != OpState::Live) continue;
      const size_t atom = atomOf(op);
      const ScopeId scope = scopeFor(commonScope_[atom]);
      const auto number = static_cast<uint32_t>(result.segments.size());
      auto& known = scope == kRootScope ? ofAtom_ : ofScope_;
      const auto [found, isNew] = known.emplace(scope == kRootScope ? atom : scope.index(), number);
      if (isNew) result.segments.push_back({"", scope, {}});
      result.segments[found->second].ops.push_back(op);
      result.ofOp[op] = found->second;
    }
    for (Segment& segment : result.segments) segment.name = nameOf(segment);
    return result;
  }

 private:
  size_t atomOf(OpId op) { return atoms_.find(op.index()); }
  ScopeId scopeOf(OpId op) const { return shallow_[module_.ops[op].scope.index()]; }

  void uniteKernels(const Cover& cover) {
    std::vector<bool> seen(module_.ops.size(), false);
    for (const Kernel& kernel : cover.kernels) {
      std::optional<OpId> first;
      for (const OpId op : kernel.ops) {
        if (seen[op.index()]) continue;
        seen[op.index()] = true;
        if (first) atoms_.unite(first->index(), op.index());
        first = op;
      }
    }
  }

  ScopeId commonScope(ScopeId a, ScopeId b) const {
    while (a != b) {
      const bool aIsDeeper = module_.scopes[a].depth >= module_.scopes[b].depth;
      ScopeId& deeper = aIsDeeper ? a : b;
      deeper = module_.scopes[deeper].parent;
    }
    return a;
  }

  /// The innermost scope around all operators of each atom.
  void findCommonScopes() {
    commonScope_.assign(module_.ops.size(), kNone);
    for (const OpId op : module_.ops.ids()) {
      if (module_.ops[op].state != OpState::Live) continue;
      ScopeId& scope = commonScope_[atomOf(op)];
      scope = scope == kNone ? scopeOf(op) : commonScope(scope, scopeOf(op));
    }
  }

  /// Every scope between an operator and the common scope of its atom has only a part of the atom.
  void findRespectedScopes() {
    respected_.assign(module_.scopes.size(), true);
    respected_[kRootScope.index()] = false;
    for (const OpId op : module_.ops.ids()) {
      if (module_.ops[op].state != OpState::Live) continue;
      const ScopeId common = commonScope_[atomOf(op)];
      for (ScopeId at = scopeOf(op); at != common; at = module_.scopes[at].parent) respected_[at.index()] = false;
    }
  }

  /// The root if there is none.
  ScopeId scopeFor(ScopeId inner) const {
    if (choice_.kind == SegmentChoice::Kind::Atoms) return kRootScope;
    ScopeId innermost = kRootScope, outermost = kRootScope, numbered = kRootScope, atDepth = kRootScope;
    for (ScopeId at = inner; at != kRootScope; at = module_.scopes[at].parent) {
      if (!respected_[at.index()]) continue;
      if (innermost == kRootScope) innermost = at;
      if (atDepth == kRootScope && module_.scopes[at].depth <= choice_.depth) atDepth = at;
      if (isNumber(module_.text(module_.scopes[at].name))) numbered = at;
      outermost = at;
    }
    if (choice_.kind == SegmentChoice::Kind::Depth) return atDepth == kRootScope ? outermost : atDepth;
    return numbered == kRootScope ? innermost : numbered;
  }

  std::string nameOf(const Segment& segment) const {
    if (segment.scope != kRootScope) return module_.scopePath(segment.scope);
    const std::string first = module_.displayName(segment.ops.front());
    return segment.ops.size() == 1 ? first : fmt::format("{} and {} more", first, segment.ops.size() - 1);
  }

  const Module& module_;
  SegmentChoice choice_;
  DisjointSets atoms_;
  /// Of each scope the one around it at the greatest depth that counts, or itself.
  std::vector<ScopeId> shallow_;
  /// By atom.
  std::vector<ScopeId> commonScope_;
  std::vector<bool> respected_;
  std::unordered_map<size_t, uint32_t> ofAtom_, ofScope_;
};

}  // namespace

std::vector<std::string> segmentChoices() {
  std::vector<std::string> choices{"auto", "atoms"};
  for (char depth = '1'; depth <= '9'; ++depth) choices.emplace_back(1, depth);
  return choices;
}

SegmentChoice parseSegmentChoice(std::string_view text) {
  if (text == "auto") return {};
  if (text == "atoms") return {SegmentChoice::Kind::Atoms};
  return {SegmentChoice::Kind::Depth, static_cast<uint32_t>(text.front() - '0')};
}

Segments segmentsOf(const Module& module, std::span<const Cover* const> covers, SegmentChoice choice) {
  return Segmentation(module, covers, choice).run();
}

}  // namespace amdahlc::ir

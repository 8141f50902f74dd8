#include "ir/segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "support/disjoint_sets.h"
#include "support/limits.h"
#include "support/name_list.h"

namespace amdahlc::ir {
namespace {

bool isNumber(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return '0' <= c && c <= '9'; });
}

class Segmentation {
 public:
  Segmentation(const Module& module, std::span<const Cover* const> covers, SegmentChoice choice)
      : module_(module), covers_(covers), choice_(choice), atoms_(module.ops.size()) {
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
    constexpr uint32_t kNoSegment = UINT32_MAX;
    IdVector<OpId, uint32_t> ofOp(module_.ops.size(), kNoSegment);
    for (const OpId op : module_.ops.ids()) {
      if (module_.ops[op].state != OpState::Live) continue;
      const size_t atom = atomOf(op);
      const ScopeId scope = scopeFor(commonScope_[atom]);
      const auto number = static_cast<uint32_t>(result.segments.size());
      auto& known = scope == kRootScope ? ofAtom_ : ofScope_;
      const auto [found, isNew] = known.emplace(scope == kRootScope ? atom : scope.index(), number);
      if (isNew) result.segments.push_back({"", scope, {}});
      result.segments[found->second].ops.push_back(op);
      ofOp[op] = found->second;
    }
    name(result.segments);
    for (const Cover* cover : covers_) {
      result.ofKernel.emplace_back();
      forKernels(*cover, [&](const Kernel& kernel, std::span<const OpId> own) {
        result.ofKernel.back().push_back(ofOp[own.empty() ? kernel.anchor() : own.front()]);
      });
    }
    return result;
  }

 private:
  size_t atomOf(OpId op) { return atoms_.find(op.index()); }
  ScopeId scopeOf(OpId op) const { return shallow_[module_.ops[op].scope.index()]; }

  /// Visits the kernels, each with those of its operators that no earlier one has.
  template <typename Visit>
  void forKernels(const Cover& cover, const Visit& visit) const {
    std::vector<bool> seen(module_.ops.size(), false);
    std::vector<OpId> own;
    for (const Kernel& kernel : cover.kernels) {
      own.clear();
      for (const OpId op : kernel.ops) {
        if (!seen[op.index()]) own.push_back(op);
        seen[op.index()] = true;
      }
      visit(kernel, own);
    }
  }

  void uniteKernels(const Cover& cover) {
    forKernels(cover, [&](const Kernel&, std::span<const OpId> own) {
      for (size_t i = 1; i < own.size(); ++i) atoms_.unite(own[i - 1].index(), own[i].index());
    });
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

  void name(std::vector<Segment>& segments) const {
    std::unordered_set<std::string> known;
    for (const bool isScope : {true, false})
      for (size_t i = 0; i < segments.size(); ++i) {
        Segment& segment = segments[i];
        if ((segment.scope != kRootScope) != isScope) continue;
        segment.name = nameOf(segment);
        if (!known.insert(segment.name).second) known.insert(segment.name += fmt::format("#{}", i));
      }
  }

  std::string nameOf(const Segment& segment) const {
    if (segment.scope != kRootScope) return module_.scopePath(segment.scope);
    return firstFew(segment.ops, [&](OpId op) { return module_.displayName(op); }, 1);
  }

  const Module& module_;
  std::span<const Cover* const> covers_;
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

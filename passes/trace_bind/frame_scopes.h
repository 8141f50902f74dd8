/// Matches the module frames of a trace with the module scopes of a graph.
///
/// Frames have a class and a running number, scopes a path and sometimes a class; exports fold modules and rename
/// classes. Both are trees of modules in the order in which they run, with the kernels that each module uses. A kernel
/// is described by the dimensions of its weight, or by its category or operator if it has none.
///
/// Objective: a partial matching of the two trees that keeps ancestors and the order of siblings, in which the kernels
/// below matched modules agree as much as possible. It is found greedily from the top; a matched pair is never revised.
///
/// 1. Roots: of the pairs of nodes on the heaviest chains from both roots, the pair with the highest score, because a
///    trace or an export may wrap the model. Pairs around it are then matched as long as they agree.
/// 2. Children of a matched pair: the order-preserving matching with the largest sum of affinities, by dynamic
///    programming. The affinity of two modules grows with the number of kernels that they have in common. Before that,
///    a child without kernels of its own is replaced by its children if the sum grows.
///
/// Cost: for a pair with n and m children O(n * m) affinities for each replacement that is tried, each linear in the
/// number of distinct descriptions below.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "passes/trace_bind/alternatives.h"
#include "passes/trace_bind/kernel_test.h"
#include "passes/trace_bind/launches.h"

namespace amdahlc::binding {

inline constexpr uint32_t kNoScope = 0xffffffffu;

/// Where in the model a launch happened.
struct ModulePlace {
  /// Node of the scope tree; kNoScope: unknown.
  uint32_t scope = kNoScope;
  /// The innermost frame itself was matched; else an enclosing one.
  bool exact = false;
  /// The scope has modules inside, but no launch of the trace is in a frame inside: a compiled module.
  bool opaque = false;
  bool known() const { return scope != kNoScope; }
};

enum class ModuleRelation : uint8_t { Other, Unknown, Near, Same };

/// A node of either tree.
struct ModuleNode {
  /// Of a frame: `Linear_3`. Empty for a scope.
  std::string name;
  std::string className;
  uint32_t parent = kNoScope;
  /// The rank of its first kernel.
  uint32_t rank = 0xffffffffu;
  /// By rank.
  std::vector<uint32_t> children;
  /// Number of kernels by description: in the module itself, and with all modules inside.
  std::map<uint32_t, uint32_t> own;
  std::map<uint32_t, uint32_t> total;
  /// Node of the other tree.
  uint32_t matched = kNoScope;
};

class FrameScopes {
 public:
  /// Builds both trees from the launches of one iteration and the kernels of the default cover. `order` gives the order
  /// of siblings.
  FrameScopes(const AlternativeGraph& graph, const ir::Cover& defaultCover, OrderKind order, const Launches& launches,
              RuleLaunches& rules);

  /// Place of a launch of any iteration.
  ModulePlace place(const Launch& launch) const;
  ModuleRelation relation(const ModulePlace& place, ir::ScopeId scope) const;
  /// Scope of a place; the root for an unknown place.
  ir::ScopeId scope(const ModulePlace& place) const {
    return place.known() ? ir::ScopeId(place.scope) : ir::kRootScope;
  }

  /// Element 0 is a root around all frames.
  const std::vector<ModuleNode>& frames() const { return frames_; }
  /// By `ir::ScopeId`.
  const std::vector<ModuleNode>& scopes() const { return scopes_; }
  size_t matchedCount() const;

 private:
  void buildFrames(const AlternativeGraph& graph, const Launches& launches, RuleLaunches& rules,
                   const ir::Cover& defaultCover);
  void buildScopes(const AlternativeGraph& graph, const ir::Cover& defaultCover, OrderKind order);
  uint32_t description(const std::string& text);
  void finish(std::vector<ModuleNode>& tree);
  void alignRoots();
  void align(uint32_t frame, uint32_t scope, unsigned depth);

  const ir::Module& module_;
  const Timeline& timeline_;
  std::map<std::string, uint32_t> descriptions_;
  std::vector<ModuleNode> frames_, scopes_;
  std::map<std::pair<uint32_t, std::string>, uint32_t> frameByName_;
};

}  // namespace amdahlc::binding

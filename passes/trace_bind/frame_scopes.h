/// Joins the module frames of a trace to the module scopes of a graph.
///
/// Frames know a class and a running number, scopes a path and sometimes a class; exports fold modules and rename
/// classes. What both have is a tree of modules, in the order in which they run, with the weights that each uses. The
/// two trees are aligned top down: children of a matched pair are matched in order so that the kernels below them,
/// described by the dimensions of their weights, agree as much as possible.
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
  /// The scope has modules inside, but no launch of the trace is in a frame inside (a compiled module).
  bool opaque = false;
  bool known() const { return scope != kNoScope; }
};

enum class ModuleRelation : uint8_t { Other, Unknown, Near, Same };

/// A node of either tree.
struct ModuleNode {
  /// Frames: `Linear_3`; scopes: none.
  std::string name;
  std::string className;
  uint32_t parent = kNoScope;
  /// Of its first kernel.
  uint32_t rank = 0xffffffffu;
  /// By rank.
  std::vector<uint32_t> children;
  /// Kernels by description, and how many.
  std::map<uint32_t, uint32_t> own;
  std::map<uint32_t, uint32_t> total;
  /// Node of the other tree.
  uint32_t matched = kNoScope;
};

class FrameScopes {
 public:
  /// Builds both trees from one iteration's launches and the default cover's kernels; `order` says which sibling runs
  /// first.
  FrameScopes(const AlternativeGraph& graph, const ir::Cover& defaultCover, OrderKind order, const Launches& launches,
              RuleLaunches& rules);

  /// Place of a launch of any iteration.
  ModulePlace place(const Launch& launch) const;
  ModuleRelation relation(const ModulePlace& place, ir::ScopeId scope) const;
  /// Scope of a place; the root for an unknown place.
  ir::ScopeId scope(const ModulePlace& place) const {
    return place.known() ? ir::ScopeId(place.scope) : ir::kRootScope;
  }

  /// [0] is a root around all frames.
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

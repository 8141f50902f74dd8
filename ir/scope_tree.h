/// The module scopes of a model: the tree of modules that its operators were exported from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/ids.h"
#include "support/string_pool.h"

namespace amdahlc::ir {

/// A tree with a node for each scope, so that memory depends on the number of scopes and not on the length of their
/// paths. Only text forms have paths: `bert.encoder.layer.0` is the child `0` of `bert.encoder.layer`. Parents have
/// lower ids than their children.
class ScopeTree {
 public:
  struct Scope {
    /// None for the root.
    ScopeId parent;
    /// Component of the path; empty for the root.
    Symbol name;
    /// Class of the module, `BertSelfAttention`; empty when unknown.
    Symbol moduleClass;
    /// Components of the path.
    uint32_t depth = 0;
  };

  /// The root alone.
  ScopeTree() { scopes_.emplace_back(); }

  const Scope& operator[](ScopeId scope) const { return scopes_[scope]; }
  bool contains(ScopeId scope) const { return scopes_.contains(scope); }
  size_t size() const { return scopes_.size(); }
  IdRange<ScopeId> ids() const { return scopes_.ids(); }

  /// The scope of a path with dots. Adds it and the scopes around it if they are missing. The empty path is the root.
  ScopeId add(std::string_view path, StringPool& strings);
  /// The child of a scope with this name, which is added if it is missing.
  ScopeId addChild(ScopeId parent, Symbol name);
  /// The same; kNone if there is none.
  ScopeId findChild(ScopeId parent, Symbol name) const;
  /// The scope of a path; kNone if there is none.
  ScopeId find(std::string_view path, const StringPool& strings) const;
  std::string path(ScopeId scope, const StringPool& strings) const;
  void setClass(ScopeId scope, Symbol moduleClass) { scopes_[scope].moduleClass = moduleClass; }
  /// Whether `inner` is `outer` or inside it. Linear in the difference of their depths.
  bool isWithin(ScopeId inner, ScopeId outer) const;
  /// The scope and the scopes around it, innermost first, without the root: `a.b.c`, `a.b`, `a`. Of those that are
  /// deeper than the limit on nested scopes, the innermost one alone.
  std::vector<ScopeId> enclosing(ScopeId scope) const;

 private:
  static uint64_t key(ScopeId parent, Symbol name) { return uint64_t{parent.index()} << 32 | name.index; }

  IdVector<ScopeId, Scope> scopes_;
  // By parent and name; looked up, never iterated.
  std::unordered_map<uint64_t, ScopeId> children_;
};

}  // namespace amdahlc::ir

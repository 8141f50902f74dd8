/// Selectors of speed-ups: which kernels they select.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/module.h"

namespace amdahlc {

/// Index of the names of a cover's kernels, built once for many selectors.
class KernelNames {
 public:
  static constexpr const char* kName = "kernel-names";
  static constexpr ir::FacetSet kReads{ir::Facet::Simplified, ir::Facet::Fused, ir::Facet::Bound};
  KernelNames(const ir::Module& module, ir::CoverId cover);

  /// Kernels that the selector selects, ascending; empty for none, and for `Any` (see `withKind`). A scope selects
  /// itself and every scope inside it; names of rules, labels, categories and operator types compare without case; a
  /// regular expression is searched in labels and in node names (RE2).
  std::vector<ir::KernelId> select(const ir::Selector& selector) const;
  /// Whether a selector of this kind selects a kernel. Not for `Any` and `Regex`.
  bool names(ir::SelectorKind kind, const std::string& selector) const { return !selectBy(kind, selector).empty(); }
  /// All valid names for a selector of this kind, for suggestions; sorted, distinct.
  std::vector<std::string> vocabulary(ir::SelectorKind kind) const;

  friend bool operator==(const KernelNames& a, const KernelNames& b) { return a.names_ == b.names_; }

 private:
  struct Names {
    std::vector<std::string> nodes, types;
    std::string rule, label, category;
    ir::ScopeId scope;
    friend bool operator==(const Names&, const Names&) = default;
  };
  /// kNone if there is none.
  ir::KernelId kernelNamed(const std::string& id) const;
  /// Visits the names of a kernel by which selectors of a kind select it, but for kernels, scopes and regular
  /// expressions.
  template <typename Visit>
  static void forEachName(const Names& names, ir::SelectorKind kind, const Visit& visit);
  /// Equal for names and for the texts that select by them.
  static std::string keyOf(ir::SelectorKind kind, const std::string& name);
  std::vector<ir::KernelId> selectBy(ir::SelectorKind kind, const std::string& selector) const;

  const ir::Module& module_;
  IdVector<ir::KernelId, Names> names_;
  /// By kind and key, ascending: many changes, each of few kernels, would be quadratic without it.
  std::map<std::pair<ir::SelectorKind, std::string>, std::vector<ir::KernelId>> named_;
};

}  // namespace amdahlc

#include "passes/speedup_rewrite/selector.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <charconv>

#include "ir/kernel_graph.h"
#include "support/case_folding.h"
#include "support/sort_unique.h"

namespace amdahlc {
KernelNames::KernelNames(const ir::Module& module, ir::CoverId cover) : module_(module) {
  for (const ir::Kernel& kernel : module.cover(cover).kernels) {
    Names& names = names_.emplace_back();
    for (ir::OpId op : kernel.ops) {
      names.nodes.push_back(module.displayName(op));
      names.types.emplace_back(module.text(module.ops[op].type));
    }
    if (kernel.candidate) names.rule = module.ruleOf(*kernel.candidate).name;
    names.label = ir::kernelLabel(module, kernel);
    names.category = ir::kernelCategory(module, kernel);
    names.scope = ir::kernelScope(module, kernel);
  }
  for (const ir::SelectorRow& row : ir::selectorTable())
    for (const ir::KernelId kernel : names_.ids())
      forEachName(names_[kernel], row.kind, [&](const std::string& name) {
        std::vector<ir::KernelId>& named = named_[{row.kind, keyOf(row.kind, name)}];
        if (named.empty() || named.back() != kernel) named.push_back(kernel);
      });
}

std::string KernelNames::keyOf(ir::SelectorKind kind, const std::string& name) {
  return kind == ir::SelectorKind::Node ? name : toLower(name);
}

template <typename Visit>
void KernelNames::forEachName(const Names& names, ir::SelectorKind kind, const Visit& visit) {
  if (kind == ir::SelectorKind::Node) std::ranges::for_each(names.nodes, visit);
  if (kind == ir::SelectorKind::Rule) {
    if (!names.rule.empty()) visit(names.rule);
    visit(names.label);
  }
  if (kind == ir::SelectorKind::Category) visit(names.category);
  if (kind == ir::SelectorKind::OperatorType) std::ranges::for_each(names.types, visit);
}

ir::KernelId KernelNames::kernelNamed(const std::string& id) const {
  uint32_t index = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), index);
  const bool isNumber = error == std::errc() && end == id.data() + id.size();
  return isNumber && index < names_.size() ? ir::KernelId(index) : ir::KernelId(ir::kNone);
}

std::vector<ir::KernelId> KernelNames::selectBy(ir::SelectorKind kind, const std::string& selector) const {
  std::vector<ir::KernelId> selected;
  if (kind == ir::SelectorKind::KernelId) {
    if (const ir::KernelId kernel = kernelNamed(selector); kernel != ir::kNone) selected.push_back(kernel);
    return selected;
  }
  if (kind == ir::SelectorKind::Scope) {
    const ir::ScopeId outer = module_.findScope(selector);
    if (outer == ir::kNone || outer == ir::kRootScope) return selected;
    for (const ir::KernelId kernel : names_.ids())
      if (module_.scopes.isWithin(names_[kernel].scope, outer)) selected.push_back(kernel);
    return selected;
  }
  const auto named = named_.find({kind, keyOf(kind, selector)});
  return named == named_.end() ? selected : named->second;
}

std::vector<ir::KernelId> KernelNames::select(const ir::Selector& selector) const {
  if (selector.kind != ir::SelectorKind::Regex) return selectBy(selector.kind, selector.text);
  const RE2 pattern(selector.text, RE2::Quiet);
  std::vector<ir::KernelId> selected;
  if (!pattern.ok()) return selected;
  const auto matches = [&](const std::string& name) { return RE2::PartialMatch(name, pattern); };
  for (const ir::KernelId kernel : names_.ids()) {
    const std::vector<std::string>& nodes = names_[kernel].nodes;
    if (matches(names_[kernel].label) || std::any_of(nodes.begin(), nodes.end(), matches)) selected.push_back(kernel);
  }
  return selected;
}

std::vector<std::string> KernelNames::vocabulary(ir::SelectorKind kind) const {
  std::vector<std::string> words;
  for (const ir::SelectorRow& row : ir::selectorTable()) {
    if (kind != row.kind && kind != ir::SelectorKind::Any) continue;
    for (const Names& names : names_) {
      forEachName(names, row.kind, [&](const std::string& name) { words.push_back(name); });
      if (row.kind == ir::SelectorKind::Scope && names.scope != ir::kRootScope)
        words.push_back(module_.scopePath(names.scope));
    }
  }
  sortUnique(words);
  return words;
}

}  // namespace amdahlc

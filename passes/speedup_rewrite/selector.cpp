#include "passes/speedup_rewrite/selector.h"

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
    if (kernel.candidate) names.rule = module.rules.rules[module.candidates[*kernel.candidate].rule].name;
    names.label = ir::kernelLabel(module, kernel);
    names.category = ir::kernelCategory(module, kernel);
    names.scope = ir::kernelScope(module, kernel);
  }
}

bool KernelNames::matches(ir::KernelId kernel, ir::SelectorKind kind, const std::string& selector) const {
  const Names& names = names_[kernel];
  switch (kind) {
    case ir::SelectorKind::KernelId:
      return kernel == kernelNamed(selector);
    case ir::SelectorKind::Node:
      return std::find(names.nodes.begin(), names.nodes.end(), selector) != names.nodes.end();
    case ir::SelectorKind::Rule:
      return equalIgnoringCase(names.rule, selector) || equalIgnoringCase(names.label, selector);
    case ir::SelectorKind::Category:
      return equalIgnoringCase(names.category, selector);
    case ir::SelectorKind::OperatorType:
      return std::any_of(names.types.begin(), names.types.end(),
                         [&](const std::string& type) { return equalIgnoringCase(type, selector); });
    case ir::SelectorKind::Scope: {
      const ir::ScopeId outer = module_.findScope(selector);
      return outer != ir::kNone && outer != ir::kRootScope && module_.scopes.isWithin(names.scope, outer);
    }
    case ir::SelectorKind::Regex:
    case ir::SelectorKind::Any:
    case ir::SelectorKind::Device:
    case ir::SelectorKind::Host:
    case ir::SelectorKind::Launches:
    case ir::SelectorKind::HostOperator:
      return false;  // decided by select, or not about kernels
  }
  return false;
}

ir::KernelId KernelNames::kernelNamed(const std::string& id) const {
  uint32_t index = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), index);
  const bool isNumber = error == std::errc() && end == id.data() + id.size();
  return isNumber && index < names_.size() ? ir::KernelId(index) : ir::KernelId(ir::kNone);
}

std::vector<ir::KernelId> KernelNames::selectBy(ir::SelectorKind kind, const std::string& selector) const {
  std::vector<ir::KernelId> selected;
  // Many changes, each of one kernel, would be quadratic.
  if (kind == ir::SelectorKind::KernelId) {
    if (const ir::KernelId kernel = kernelNamed(selector); kernel != ir::kNone) selected.push_back(kernel);
    return selected;
  }
  for (const ir::KernelId kernel : names_.ids())
    if (matches(kernel, kind, selector)) selected.push_back(kernel);
  return selected;
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

ir::Selector withKind(const ir::Selector& selector, const std::vector<const KernelNames*>& runs) {
  if (selector.kind != ir::SelectorKind::Any) return selector;
  for (const ir::SelectorRow& row : ir::selectorTable())
    if (row.hasPrefix() && row.subject == ir::SelectorSubject::Kernels &&
        std::any_of(runs.begin(), runs.end(),
                    [&](const KernelNames* run) { return run->names(row.kind, selector.text); }))
      return {row.kind, selector.text};
  return selector;
}

std::vector<std::string> KernelNames::vocabulary(ir::SelectorKind kind) const {
  std::vector<std::string> words;
  auto take = [&](ir::SelectorKind one) { return kind == one || kind == ir::SelectorKind::Any; };
  for (const Names& names : names_) {
    if (take(ir::SelectorKind::Node)) words.insert(words.end(), names.nodes.begin(), names.nodes.end());
    if (take(ir::SelectorKind::Rule)) {
      words.push_back(names.label);
      if (!names.rule.empty()) words.push_back(names.rule);
    }
    if (take(ir::SelectorKind::Category)) words.push_back(names.category);
    if (take(ir::SelectorKind::OperatorType)) words.insert(words.end(), names.types.begin(), names.types.end());
    if (take(ir::SelectorKind::Scope) && names.scope != ir::kRootScope) words.push_back(module_.scopePath(names.scope));
  }
  sortUnique(words);
  return words;
}

}  // namespace amdahlc

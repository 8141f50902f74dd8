#include "ir/scope_tree.h"

#include <ranges>
#include <vector>

#include "support/limits.h"

namespace amdahlc::ir {

ScopeId ScopeTree::addChild(ScopeId parent, Symbol name) {
  const auto [child, isNew] = children_.try_emplace(key(parent, name), scopes_.nextId());
  if (isNew) scopes_.push_back({parent, name, {}, scopes_[parent].depth + 1});
  return child->second;
}

ScopeId ScopeTree::findChild(ScopeId parent, Symbol name) const {
  const auto child = children_.find(key(parent, name));
  return child == children_.end() ? ScopeId(kNone) : child->second;
}

ScopeId ScopeTree::add(std::string_view path, StringPool& strings) {
  ScopeId scope = kRootScope;
  for (const auto part : std::views::split(path, '.'))
    scope = addChild(scope, strings.intern(std::string_view(part.begin(), part.end())));
  return scope;
}

ScopeId ScopeTree::find(std::string_view path, const StringPool& strings) const {
  ScopeId scope = kRootScope;
  for (const auto part : std::views::split(path, '.')) {
    const auto name = strings.lookUp(std::string_view(part.begin(), part.end()));
    scope = name ? findChild(scope, *name) : ScopeId(kNone);
    if (scope == kNone) break;
  }
  return scope;
}

std::string ScopeTree::path(ScopeId scope, const StringPool& strings) const {
  std::vector<Symbol> components;
  for (; scope != kRootScope; scope = scopes_[scope].parent) components.push_back(scopes_[scope].name);
  std::string text;
  for (size_t i = components.size(); i-- > 0;) {
    text += strings.text(components[i]);
    if (i != 0) text += '.';
  }
  return text;
}

bool ScopeTree::isWithin(ScopeId inner, ScopeId outer) const {
  while (scopes_[inner].depth > scopes_[outer].depth) inner = scopes_[inner].parent;
  return inner == outer;
}

std::vector<ScopeId> ScopeTree::enclosing(ScopeId scope) const {
  std::vector<ScopeId> scopes;
  for (ScopeId at = scope; at != kRootScope; at = scopes_[at].parent)
    if (at == scope || scopes_[at].depth < limits::kScopeNesting) scopes.push_back(at);
  return scopes;
}

}  // namespace amdahlc::ir

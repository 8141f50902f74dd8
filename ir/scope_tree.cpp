#include "ir/scope_tree.h"

#include <vector>

namespace amdahlc::ir {

namespace {

/// Calls `visit` for each component of a path that is not empty.
template <typename Visit>
void forEachComponent(std::string_view path, const Visit& visit) {
  if (path.empty()) return;
  for (size_t begin = 0;;) {
    const size_t dot = path.find('.', begin);
    if (!visit(path.substr(begin, dot - begin)) || dot == std::string_view::npos) return;
    begin = dot + 1;
  }
}

}  // namespace

ScopeId ScopeTree::add(std::string_view path, StringPool& strings) {
  ScopeId scope = kRootScope;
  forEachComponent(path, [&](std::string_view component) {
    const Symbol name = strings.intern(component);
    const auto [child, isNew] = children_.try_emplace(key(scope, name), scopes_.nextId());
    if (isNew) scopes_.push_back({scope, name, {}, scopes_[scope].depth + 1});
    scope = child->second;
    return true;
  });
  return scope;
}

ScopeId ScopeTree::find(std::string_view path, const StringPool& strings) const {
  ScopeId scope = kRootScope;
  forEachComponent(path, [&](std::string_view component) {
    const Symbol name = strings.find(component);
    // `find` returns the empty symbol for a component that no scope has, unless the component itself is empty.
    const auto child = name.empty() && !component.empty() ? children_.end() : children_.find(key(scope, name));
    scope = child == children_.end() ? ScopeId(kNone) : child->second;
    return scope != kNone;
  });
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

}  // namespace amdahlc::ir

#include "ir/scope_tree.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/limits.h"

using namespace amdahlc;
using namespace amdahlc::ir;

TEST_CASE("a path is stored as components and printed unchanged") {
  StringPool strings;
  ScopeTree tree;
  CHECK(tree.add("", strings) == kRootScope);
  CHECK(tree.path(kRootScope, strings).empty());
  for (const char* path : {"bert", "bert.encoder.layer.0", "a..b", ".", ".a", "a."}) {
    const ScopeId scope = tree.add(path, strings);
    CHECK(tree.path(scope, strings) == path);
    CHECK(tree.add(path, strings) == scope);
    CHECK(tree.find(path, strings) == scope);
    CHECK(tree[scope].parent < scope);
  }
  const ScopeId layer = tree.find("bert.encoder.layer", strings);
  REQUIRE(layer != kNone);
  CHECK(strings.text(tree[layer].name) == "layer");
  CHECK(tree[layer].depth == 3);
}

TEST_CASE("a path that the tree lacks is not found, also if its components occur") {
  StringPool strings;
  ScopeTree tree;
  tree.add("model.layer", strings);
  strings.intern("dense");
  CHECK(tree.find("layer", strings) == kNone);
  CHECK(tree.find("model.dense", strings) == kNone);
  CHECK(tree.find("model.none", strings) == kNone);
  CHECK(tree.find("model.", strings) == kNone);
  CHECK(tree.find("none.layer", strings) == kNone);
}

TEST_CASE("a scope is inside itself and the scopes around it, not inside others of the same name") {
  StringPool strings;
  ScopeTree tree;
  const ScopeId one = tree.add("layer.1", strings), ten = tree.add("layer.10", strings),
                dense = tree.add("layer.1.dense", strings);
  CHECK(tree.isWithin(one, one));
  CHECK(tree.isWithin(dense, one));
  CHECK(tree.isWithin(dense, kRootScope));
  CHECK_FALSE(tree.isWithin(ten, one));
  CHECK_FALSE(tree.isWithin(one, dense));
}

TEST_CASE("a deep path costs a node and a word a component") {
  StringPool strings;
  ScopeTree tree;
  std::string path = "m";
  for (int i = 0; i < 100'000; ++i) path += ".m";
  const ScopeId deep = tree.add(path, strings);
  CHECK(tree.size() == 100'002);
  CHECK(strings.size() == 2);
  CHECK(tree.path(deep, strings) == path);
}

TEST_CASE("the enclosing scopes of a scope are itself and each outer scope") {
  StringPool strings;
  ScopeTree tree;
  const auto paths = [&](const std::vector<ScopeId>& scopes) {
    std::vector<std::string> texts;
    for (const ScopeId scope : scopes) texts.push_back(tree.path(scope, strings));
    return texts;
  };
  CHECK(paths(tree.enclosing(tree.add("a.b.c", strings))) == std::vector<std::string>{"a.b.c", "a.b", "a"});
  CHECK(tree.enclosing(kRootScope).empty());
  std::string deep = "a";
  for (int i = 0; i < 100'000; ++i) deep += ".b";
  const ScopeId deepest = tree.add(deep, strings);
  const auto enclosing = tree.enclosing(deepest);
  CHECK(enclosing.size() == limits::kScopeNesting);
  CHECK(enclosing.front() == deepest);
  CHECK(enclosing.back() == tree.find("a", strings));
}

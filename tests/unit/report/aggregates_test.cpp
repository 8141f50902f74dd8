#include "report/aggregates.h"

#include <doctest/doctest.h>

#include "../passes/kernel_graphs.h"
#include "support/limits.h"

namespace amdahlc {
namespace {

using namespace ir::test;

using testing::boundModule;
using testing::startAt;

TEST_CASE("overlap inside a group counts once, and removing the group frees it") {
  ir::Module module = boundModule({100, 100, 50}, {{0, 1}, {1, 2}});
  startAt(module, 0_kernel, 0);
  startAt(module, 1_kernel, 60);
  startAt(module, 2_kernel, 150);
  const std::vector<std::vector<uint32_t>> groupsOf = {{0}, {0}, {1}};
  const auto groups = groupTimes(
      module.timelines[0], module.covers[0], 2,
      [&](EventIndex, ir::KernelId kernel) -> const std::vector<uint32_t>& { return groupsOf[kernel.index()]; });
  CHECK(groups[0].perIterationNs == std::vector<int64_t>{160});
  CHECK(groups[0].exclusiveNs == 150);
  CHECK(groups[0].events == 2);
  CHECK(groups[1].perIterationNs == std::vector<int64_t>{50});
  CHECK(groups[1].exclusiveNs == 40);
}

TEST_CASE("an event may be in several groups, or in none") {
  const ir::Module module = boundModule({10, 20}, {{0, 1}});
  const std::vector<std::vector<uint32_t>> groupsOf = {{0, 1}, {}};
  const auto groups = groupTimes(
      module.timelines[0], module.covers[0], 2,
      [&](EventIndex, ir::KernelId kernel) -> const std::vector<uint32_t>& { return groupsOf[kernel.index()]; });
  CHECK(groups[0].exclusiveNs == 10);
  CHECK(groups[1].exclusiveNs == 10);
}

TEST_CASE("the enclosing scopes of a scope are itself and each outer scope") {
  StringPool strings;
  ir::ScopeTree tree;
  const auto paths = [&](const std::vector<ir::ScopeId>& scopes) {
    std::vector<std::string> texts;
    for (const ir::ScopeId scope : scopes) texts.push_back(tree.path(scope, strings));
    return texts;
  };
  CHECK(paths(enclosingScopes(tree, tree.add("a.b.c", strings))) == std::vector<std::string>{"a.b.c", "a.b", "a"});
  CHECK(enclosingScopes(tree, ir::kRootScope).empty());
  std::string deep = "a";
  for (int i = 0; i < 100'000; ++i) deep += ".b";
  const ir::ScopeId deepest = tree.add(deep, strings);
  const auto enclosing = enclosingScopes(tree, deepest);
  CHECK(enclosing.size() == limits::kScopeNesting);
  CHECK(enclosing.front() == deepest);
  CHECK(enclosing.back() == tree.find("a", strings));
}

}  // namespace
}  // namespace amdahlc

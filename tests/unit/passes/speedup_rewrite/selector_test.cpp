#include "passes/speedup_rewrite/scenario_resolution.h"

#include <doctest/doctest.h>

#include "../kernel_graphs.h"

namespace amdahlc {
namespace {

using namespace ir::test;

ir::Module scopedModule() {
  ir::Module module = testing::boundModule({1, 1, 1}, {{0, 1}, {1, 2}});
  module.ops[0_op].scope = module.addScope("model.layer.1");
  module.ops[1_op].scope = module.addScope("model.layer.10");
  module.ops[2_op].scope = module.addScope("model.layer.1.dense");
  module.ops[2_op].type = module.strings.intern("MatMul");
  return module;
}

std::vector<ir::KernelId> select(ir::SelectorKind kind, std::string selector) {
  const ir::Module module = scopedModule();
  return KernelNames(module, ir::CoverId{0}).select({kind, std::move(selector)});
}

/// As the pass does: the kind is decided over all runs, here one.
std::vector<ir::KernelId> selectAny(std::string selector) {
  const ir::Module module = scopedModule();
  AnalysisManager analyses(module);
  const ir::CoverId cover{0};
  const KernelNames& names = analyses.get<KernelNames>(cover);
  return names.select(
      withKind({ir::SelectorKind::Any, std::move(selector)}, {{cover, names, analyses.get<ir::KernelGraph>(cover)}}));
}

using Kernels = std::vector<ir::KernelId>;

TEST_CASE("a scope selects itself and the scopes inside, not others of the same name") {
  CHECK(select(ir::SelectorKind::Scope, "model.layer.1") == ir::test::ids<ir::KernelId>({0, 2}));
  CHECK(select(ir::SelectorKind::Scope, "model") == ir::test::ids<ir::KernelId>({0, 1, 2}));
  CHECK(select(ir::SelectorKind::Scope, "layer").empty());
  CHECK(select(ir::SelectorKind::Scope, "").empty());
}

TEST_CASE("ids are whole numbers, operator types have no case") {
  CHECK(select(ir::SelectorKind::KernelId, "1") == ir::test::ids<ir::KernelId>({1}));
  CHECK(select(ir::SelectorKind::KernelId, "1x").empty());
  CHECK(select(ir::SelectorKind::KernelId, "7").empty());
  CHECK(select(ir::SelectorKind::OperatorType, "matmul") == ir::test::ids<ir::KernelId>({2}));
  CHECK(select(ir::SelectorKind::Node, "n1") == ir::test::ids<ir::KernelId>({1}));
}

TEST_CASE("a selector without a kind is the first thing that it names") {
  CHECK(selectAny("0") == ir::test::ids<ir::KernelId>({0}));
  CHECK(selectAny("MatMul") == ir::test::ids<ir::KernelId>({2}));
  CHECK(selectAny("model.layer.10") == ir::test::ids<ir::KernelId>({1}));
  CHECK(selectAny("nothing").empty());
}

TEST_CASE("a regular expression is searched in labels and node names; an invalid one selects no kernel") {
  CHECK(select(ir::SelectorKind::Regex, "^n[02]$") == ir::test::ids<ir::KernelId>({0, 2}));
  CHECK(select(ir::SelectorKind::Regex, "(").empty());
}

}  // namespace
}  // namespace amdahlc

#include <doctest/doctest.h>

#include "ir/facets/states.h"
#include "sample_module.h"

using namespace amdahlc;
using namespace amdahlc::ir;
using namespace amdahlc::ir::test;

namespace {

using Ids = std::vector<KernelId>;

Cover coverOf(const Module& module, std::vector<std::vector<OpId>> groups) {
  Cover cover;
  cover.kernels = numberKernels(module, OperatorGraph(module), grouping(module, std::move(groups))).value();
  return cover;
}

std::vector<std::vector<OpId>> opsOf(const Cover& cover) {
  std::vector<std::vector<OpId>> ops;
  for (const Kernel& kernel : cover.kernels) ops.push_back(kernel.ops);
  return ops;
}

Ids list(std::span<const KernelId> ids) { return {ids.begin(), ids.end()}; }

}  // namespace

TEST_CASE("kernels are numbered by Kahn's order, the ready one with the lowest node first") {
  // 0 -> 1 -> 4, 2 -> 3 -> 4; grouping 0 with 3 makes it wait for 2.
  ModuleBuilder b;
  b.input("x");
  b.op("A", {"x"}, {"a"});
  b.op("B", {"a"}, {"b"});
  b.op("C", {"x"}, {"c"});
  b.op("D", {"c"}, {"d"});
  b.op("E", {"b", "d"}, {"e"});
  b.output("e");
  CHECK(opsOf(coverOf(b.module, {})) == idLists<OpId>({{0}, {1}, {2}, {3}, {4}}));
  const Cover cover = coverOf(b.module, idLists<OpId>({{3, 0}}));
  CHECK(opsOf(cover) == idLists<OpId>({{2}, {3, 0}, {1}, {4}}));
  const KernelGraph graph(b.module, OperatorGraph(b.module), cover);
  CHECK(list(graph.predecessors(3_kernel)) == ids<KernelId>({1, 2}));
  CHECK(list(graph.successors(1_kernel)) == ids<KernelId>({2, 3}));
  CHECK(list(graph.successors(3_kernel)).empty());
  const auto inputs = [&](KernelId kernel) {
    const auto span = graph.graphInputs(kernel);
    return std::vector<ValueId>(span.begin(), span.end());
  };
  CHECK(inputs(0_kernel) == std::vector<ValueId>{b.value("x")});
  CHECK(inputs(1_kernel) == std::vector<ValueId>{b.value("x")});
  CHECK(graph.graphInputs(2_kernel).empty());
  CHECK(graph.kernelOf(0_op) == 1_kernel);
}

TEST_CASE("a grouping whose kernels wait for each other has no numbering") {
  ModuleBuilder b;
  b.input("x");
  b.op("A", {"x"}, {"a"});
  b.op("B", {"a"}, {"b"});
  b.op("C", {"b", "a"}, {"c"});
  CHECK_FALSE(
      numberKernels(b.module, OperatorGraph(b.module), grouping(b.module, idLists<OpId>({{0, 2}}))).has_value());
  CHECK(numberKernels(b.module, OperatorGraph(b.module), grouping(b.module, idLists<OpId>({{0, 1, 2}}))).has_value());
}

TEST_CASE("of several cycles, the one with the first group is named") {
  // 1 and 2 wait for each other, and so do 0, 3 and 4; 5 waits for all of them.
  ModuleBuilder b;
  b.input("x");
  for (const char* name : {"a", "b", "c"}) b.op("A", {"x"}, {name});
  b.op("B", {"a"}, {"d"});
  b.op("B", {"b"}, {"e"});
  b.op("B", {"c"}, {"f"});
  b.input("y");
  b.op("A", {"y"}, {"g"});
  b.op("A", {"y"}, {"h"});
  b.op("B", {"g"}, {"i"});
  b.op("B", {"h"}, {"j"});
  b.op("E", {"d", "e", "f", "i", "j"}, {"k"});
  const auto cycle = [&](std::vector<std::vector<OpId>> groups) {
    return cycleOf(b.module, OperatorGraph(b.module), grouping(b.module, std::move(groups)));
  };
  CHECK(cycle(idLists<OpId>({{0, 5}, {6, 9}, {7, 8}, {1, 3}, {2, 4}, {10}})) == std::vector<size_t>{0, 3, 4});
  CHECK(cycle(idLists<OpId>({{0}, {5}, {6, 9}, {7, 8}, {1, 3}, {2, 4}, {10}})) == std::vector<size_t>{2, 3});
  CHECK(cycle({}).empty());
}

TEST_CASE("bodies follow the kernel of their operator, and their uses are its uses") {
  ModuleBuilder b;
  b.input("x");
  b.op("A", {"x"}, {"a"});
  b.op("Late", {"x"}, {"late"});
  const OpId branch = b.op("If", {"x"}, {"b"});
  const GraphId body = b.addGraph(branch, "then_branch");
  b.op("Inner", {"a"}, {"i"}, body);
  const OpId loop = b.op("Loop", {"i"}, {"l"}, body);
  const GraphId innermost = b.addGraph(loop, "body");
  b.op("Deep", {"late"}, {"d"}, innermost);
  b.output("d", innermost);
  b.output("l", body);
  b.op("After", {"b"}, {"after"});
  b.output("after");
  const Cover cover = coverOf(b.module, {});
  CHECK(opsOf(cover) == idLists<OpId>({{0}, {1}, {2}, {3}, {4}, {5}, {6}}));
  const KernelGraph graph(b.module, OperatorGraph(b.module), cover);
  CHECK(list(graph.predecessors(2_kernel)) == ids<KernelId>({0, 1}));
  CHECK(list(graph.predecessors(3_kernel)).empty());
  CHECK(list(graph.predecessors(4_kernel)) == ids<KernelId>({3}));
  CHECK(list(graph.predecessors(5_kernel)).empty());
  CHECK(list(graph.predecessors(6_kernel)) == ids<KernelId>({2}));
  CHECK(list(graph.bodyKernels(2_kernel)) == ids<KernelId>({3, 4, 5}));
  CHECK(list(graph.bodyKernels(4_kernel)) == ids<KernelId>({5}));
  CHECK(graph.graphOf(5_kernel) == innermost);
}

TEST_CASE("a body without outer values still waits for its operator") {
  ModuleBuilder b;
  b.input("x");
  b.op("A", {"x"}, {"a"});
  const OpId branch = b.op("If", {"a"}, {"b"});
  const GraphId body = b.addGraph(branch, "then_branch");
  b.op("Inner", {}, {"i"}, body);
  b.output("i", body);
  b.op("C", {"x"}, {"c"});
  b.op("D", {"c"}, {"d"});
  // Held back by C, the first kernel holds back the If.
  CHECK(opsOf(coverOf(b.module, idLists<OpId>({{0, 4}}))) == idLists<OpId>({{3}, {0, 4}, {1}, {2}}));
}

TEST_CASE("an operator waits for an outer value that its body only forwards") {
  ModuleBuilder b;
  b.input("x");
  b.op("A", {"x"}, {"a"});
  const OpId branch = b.op("If", {"x"}, {"b"});
  const GraphId body = b.addGraph(branch, "then_branch");
  b.output("a", body);
  const KernelGraph graph(b.module, OperatorGraph(b.module), coverOf(b.module, {}));
  CHECK(list(graph.predecessors(1_kernel)) == ids<KernelId>({0}));
}

TEST_CASE("values are followed through operators that are in no kernel") {
  ModuleBuilder b;
  b.input("x");
  b.op("A", {"x"}, {"a"});
  b.op("View", {"a"}, {"v"});
  b.op("View", {"v"}, {"w"});
  b.op("B", {"w"}, {"b"});
  Cover cover;
  cover.kernels = {{0_kernel, std::nullopt, {0_op}}, {1_kernel, std::nullopt, {3_op}}};
  const KernelGraph graph(b.module, OperatorGraph(b.module), cover);
  CHECK(list(graph.predecessors(1_kernel)) == ids<KernelId>({0}));
  CHECK(graph.kernelOf(1_op) == kNone);
}

TEST_CASE("a kernel that recomputes a value does not wait for another producer") {
  ModuleBuilder b;
  b.input("x");
  b.op("Mask", {"x"}, {"m"});
  b.op("Use", {"m"}, {"p"});
  b.op("Use", {"m"}, {"q"});
  const Cover cover = coverOf(b.module, idLists<OpId>({{0, 2}, {0, 1}}));
  CHECK(opsOf(cover) == idLists<OpId>({{0, 1}, {0, 2}}));
  const KernelGraph graph(b.module, OperatorGraph(b.module), cover);
  CHECK(list(graph.predecessors(1_kernel)).empty());
  CHECK(nodeReports(b.module, cover)[0_op].kernels == ids<KernelId>({0, 1}));
}

TEST_CASE("every node ends in one state") {
  ModuleBuilder b;
  b.input("x");
  b.op("A", {"x"}, {"a"});
  b.op("B", {"a"}, {"b"});
  b.op("C", {"a"}, {"c"});
  b.op("D", {"a"}, {"d"});
  const OpId absorbed = b.op("Identity", {"a"}, {"i"});
  const OpId folded = b.op("Shape", {"a"}, {"s"});
  b.module.ops[absorbed].state = OpState::Absorbed;
  b.module.ops[absorbed].absorbedInto = 1_op;
  b.module.ops[folded].state = OpState::Folded;
  Cover cover = coverOf(b.module, {});
  BoundFacet bound;
  bound.kernels.resize(cover.kernels.size());
  bound.kernels[0_kernel].state = KernelState::Bound;
  bound.kernels[1_kernel].state = KernelState::NoDeviceWork;
  bound.kernels[2_kernel].state = KernelState::NotExecuted;
  cover.facets.set(std::move(bound));
  const auto reports = nodeReports(b.module, cover);
  std::string states;
  for (const NodeReport& report : reports) states += std::string(name(report.state)) + ' ';
  CHECK(states == "bound no-device-work not-executed missed absorbed folded ");
  CHECK(reports[absorbed].kernels == ids<KernelId>({1}));
  CHECK(reports[folded].kernels.empty());
}

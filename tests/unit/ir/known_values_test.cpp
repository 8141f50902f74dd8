#include "ir/known_values.h"

#include <doctest/doctest.h>

#include "graph_of.h"
#include "ir/operator_graph.h"

using namespace amdahlc;
using namespace amdahlc::ir;
using amdahlc::ir::test::GraphOf;
using ir::ElementType;

namespace {

/// Elements as integers; -999 is an unknown one. Empty if the length is unknown.
std::vector<int64_t> known(const HostValue& value) {
  std::vector<int64_t> result;
  if (!value.elements) return result;
  for (const auto& element : *value.elements) result.push_back(element ? static_cast<int64_t>(*element) : -999);
  return result;
}

HostValues evaluated(const ir::Module& module) {
  HostValues host(module);
  for (const ir::Op& op : module.ops) host.evaluate(op);
  return host;
}

ir::Type ints(int64_t count) { return GraphOf::vector(ElementType::Int64, count); }

}  // namespace

TEST_CASE("shape arithmetic is followed, as far as dimensions are numbers") {
  GraphOf graph;
  const auto x = graph.input(
      "x", ir::Type::tensor(ElementType::Float, {ir::Dim::named("batch"), ir::Dim::of(12), ir::Dim::of(64)}));
  const auto shape = graph.op("shape", "Shape", {x}, ints(3));
  const auto last =
      graph.op("last", "Slice", {shape, graph.constant("start", {-1}), graph.constant("end", {INT64_MAX})}, ints(1));
  const auto picked = graph.op("picked", "Gather", {shape, graph.constant("indices", {-2, 0})}, ints(2));
  const auto product = graph.op(
      "product", "ReduceProd",
      {graph.op("tail", "Slice", {shape, graph.constant("one", {1}), graph.constant("three", {3})}, ints(2))}, ints(1));
  const auto joined = graph.op("joined", "Concat", {last, graph.constant("minus", {-1}), product}, ints(3));
  const auto half = graph.op("half", "Div", {product, graph.constant("two", {2})}, ints(1));
  const HostValues host = evaluated(graph.module);
  CHECK(known(host.of(shape)) == std::vector<int64_t>{-999, 12, 64});
  CHECK(known(host.of(last)) == std::vector<int64_t>{64});
  CHECK(known(host.of(picked)) == std::vector<int64_t>{12, -999});
  CHECK(known(host.of(joined)) == std::vector<int64_t>{64, -1, 768});
  CHECK(known(host.of(half)) == std::vector<int64_t>{384});
  CHECK(host.of(joined).use == HostUse::Always);
}

TEST_CASE("64-bit integers stay exact") {
  GraphOf graph;
  const auto sum = graph.op("sum", "Sub", {graph.constant("a", {INT64_MAX}), graph.constant("b", {1})}, ints(1));
  CHECK(known(evaluated(graph.module).of(sum)) == std::vector<int64_t>{INT64_MAX - 1});
}

TEST_CASE("integer division goes towards zero, and division by zero is unknown") {
  GraphOf graph;
  const auto a = graph.constant("a", {-7, 7}), b = graph.constant("b", {2, 0});
  CHECK(known(evaluated(graph.module).of(a)) == std::vector<int64_t>{-7, 7});
  const auto quotient = graph.op("q", "Div", {a, b}, ints(2));
  CHECK(known(evaluated(graph.module).of(quotient)) == std::vector<int64_t>{-3, -999});
}

TEST_CASE("results of a tensor on the device are on the device") {
  GraphOf graph;
  const auto x = graph.input("x", ints(2));
  const auto sum = graph.op("sum", "Add", {x, graph.constant("one", {1})}, ints(2));
  CHECK(evaluated(graph.module).of(sum).use == HostUse::Never);
}

TEST_CASE("a tensor that a framework fills on the device is a host value for shapes only") {
  GraphOf graph;
  const auto range = graph.op("range", "Range",
                              {graph.constant("a", {0}), graph.constant("b", {4}), graph.constant("c", {1})}, ints(4));
  const auto next = graph.op("next", "Add", {range, graph.constant("one", {1})}, ints(4));
  const HostValues host = evaluated(graph.module);
  CHECK(host.of(next).use == HostUse::ShapeOnly);
  CHECK(known(host.of(next)) == std::vector<int64_t>{1, 2, 3, 4});
}

TEST_CASE("slices run in both directions and stop at the ends") {
  GraphOf graph;
  const auto data = graph.constant("data", {10, 11, 12, 13});
  const auto axes = graph.constant("axes", {0});
  const auto slice = [&](const std::string& name, int64_t start, int64_t end, int64_t step, int64_t count) {
    return graph.op(name, "Slice",
                    {data, graph.constant(name + "s", {start}), graph.constant(name + "e", {end}), axes,
                     graph.constant(name + "t", {step})},
                    ints(count));
  };
  const auto backward = slice("backward", -1, INT64_MIN, -2, 2), beyond = slice("beyond", -9, 9, 1, 4),
             none = slice("none", 3, 1, 1, 0);
  const HostValues host = evaluated(graph.module);
  CHECK(known(host.of(backward)) == std::vector<int64_t>{13, 11});
  CHECK(known(host.of(beyond)) == std::vector<int64_t>{10, 11, 12, 13});
  CHECK(host.of(none).elements->empty());
}

TEST_CASE("operands that are sizes or axes") {
  GraphOf graph;
  const auto x = graph.input("x");
  const auto reshape = graph.op("r", "Reshape", {x, graph.constant("s", {6})}), sum = graph.op("a", "Add", {x, x}),
             max = graph.op("m", "ReduceMax", {x, x});
  const auto of = [&](ir::ValueId value) -> const ir::Op& { return graph.module.ops[graph.producer(value)]; };
  CHECK(isShapeOperand(graph.module, of(reshape), 1));
  CHECK(!isShapeOperand(graph.module, of(reshape), 0));
  CHECK(!isShapeOperand(graph.module, of(sum), 1));
  CHECK(isShapeOperand(graph.module, of(max), 1));
}

TEST_CASE("what is computed from known values alone is known before the run, in bodies too, unless it is random") {
  GraphOf g;
  const ir::ValueId x = g.input("x"), constant = g.constant("c", {1, 2});
  const ir::ValueId twice = g.op("twice", "Add", {constant, constant}), noise = g.op("noise", "RandomNormal", {}),
                    like = g.op("like", "RandomUniformLike", {twice}), shape = g.op("shape", "Shape", {x}),
                    half = g.op("half", "Div", {shape, twice}), mixed = g.op("mixed", "Add", {x, twice});
  const ir::ValueId branch = g.op("branch", "If", {constant});
  g.body(branch, "then_branch");
  const ir::ValueId inside = g.op("inside", "Neg", {twice}), ofInput = g.op("of_input", "Neg", {mixed});
  g.close({inside});
  const OperatorGraph graph(g.module);
  CHECK(graph.knownFrom(constant) == KnownFrom::Model);
  for (const ir::ValueId value : {twice, inside}) CHECK(graph.knownFrom(value) == KnownFrom::Constants);
  for (const ir::ValueId value : {shape, half}) CHECK(graph.knownFrom(value) == KnownFrom::Shapes);
  for (const ir::ValueId value : {x, noise, like, mixed, branch, ofInput})
    CHECK(graph.knownFrom(value) == KnownFrom::Run);
}

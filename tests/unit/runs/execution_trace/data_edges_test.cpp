#include "runs/execution_trace/data_edges.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/unit/runs/execution_trace/execution_trace_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;
using namespace amdahlc::execution_trace;

namespace {

/// Edges and births by ids of nodes: `3>5 ` for each pair of a reader and its writer. Lives as bytes between the ids of
/// their first and last group, with `+` of a storage that is born and `|` of one whose number is used again; what each
/// group writes as `3:0,1 `.
struct Found {
  std::string data, order, births, lives, written;
};

/// Each call of the top is a group.
Found edgesOf(const std::vector<EtCall>& calls, const AllocationOracle& allocates = {}) {
  std::vector<EtCall> all = calls;
  all.push_back({1, 1, "process"});
  const ExecutionTrace trace = traceOf(all);
  std::vector<NodeId> groups;
  for (const NodeId node : trace.id.ids())
    if (trace.parent[node] == NodeId(0)) groups.push_back(node);
  DiagnosticEngine engine;
  const auto edges = findDataEdges(trace, groups, engine, allocates);
  REQUIRE(edges);
  const auto id = [&](uint32_t group) { return trace.id[groups[group]]; };
  Found found;
  for (const DataEdge& edge : edges->data) {
    const std::string text = fmt::format("{}>{} ", id(edge.from), id(edge.to));
    if (found.data.find(text) == found.data.npos) found.data += text;
  }
  for (const OrderEdge& edge : edges->order) found.order += fmt::format("{}>{} ", id(edge.from), id(edge.to));
  for (const Birth& birth : edges->births)
    found.births += fmt::format("{}:{} ", trace.id[birth.node], trace.tensors[birth.tensor].storage);
  for (const Life& life : edges->lives)
    found.lives += fmt::format("{}{}..{}:{}{} ", life.isBorn ? "+" : "", id(life.firstGroup), id(life.lastGroup),
                               life.bytes, life.isFollowed ? "|" : "");
  for (uint32_t group = 0; group < groups.size(); ++group)
    if (!edges->written[group].empty())
      found.written += fmt::format("{}:{} ", id(group), fmt::join(edges->written[group], ","));
  return found;
}

EtCall make(int64_t id, const EtValue& result) { return {id, 1, "lib::make", {}, {result}, "lib::make() -> Tensor"}; }
EtCall use(int64_t id, const EtValue& operand) {
  return {id, 1, "lib::use", {operand}, {}, "lib::use(Tensor a) -> ()"};
}
EtCall write(int64_t id, const EtValue& operand) {
  return {id, 1, "lib::write", {operand}, {operand}, "lib::write(Tensor(a!) a) -> Tensor(a!)"};
}

}  // namespace

TEST_CASE("a call reads the last writer of its operand, and what nobody wrote has none") {
  const Found found = edgesOf({use(3, tensor(2, 20, {4})), make(5, tensor(4, 40, {4})), use(7, tensor(4, 40, {4})),
                               use(9, tensor(4, 40, {4}))});
  CHECK(found.data == "5>7 5>9 ");
  CHECK(found.order.empty());
  CHECK(found.births == "5:40 ");
}

TEST_CASE("views pass on: who reads one reads the writer of the bytes") {
  const EtValue whole = tensor(4, 40, {4}), half = tensor(6, 40, {2}, 2), other = tensor(8, 40, {2}, 0);
  const EtCall view{7, 1, "lib::slice", {whole}, {half}};
  CHECK(edgesOf({make(5, whole), view, use(9, half)}).data == "5>7 5>9 ");
  // A half is written; the reader of the other one does not see it.
  const Found found = edgesOf({make(5, whole), view, write(11, half), use(13, other), use(15, half), use(17, whole)});
  CHECK(found.data == "5>7 5>11 5>13 11>15 5>17 11>17 ");
  CHECK(found.order == "7>11 ");
}

TEST_CASE("parts overlap by bytes, also those of strided views") {
  // Every second column of two rows of four: bytes 0 to 28 without the last element.
  EtValue columns = tensor(6, 40, {2, 2});
  columns.strides = "[4,2]";
  CHECK(edgesOf({make(5, tensor(4, 40, {8})), write(7, columns), use(9, tensor(10, 40, {1}, 6))}).data == "5>7 7>9 ");
  CHECK(edgesOf({make(5, tensor(4, 40, {8})), write(7, columns), use(9, tensor(10, 40, {1}, 7))}).data == "5>7 5>9 ");
}

TEST_CASE("operators write in place by their declaration, by `out=`, or by a name that ends with an underscore") {
  const EtValue a = tensor(2, 20, {4}), b = tensor(3, 30, {4}), number{"1", "Int"};
  const EtCall out{
      5, 1, "lib::add", {a, number, b}, {b}, "lib::add.out(Tensor a, int x=1, *, Tensor(a!) out) -> Tensor(a!)"};
  CHECK(edgesOf({out, use(7, b), use(9, a)}).data == "5>7 ");
  const EtCall named{5,
                     1,
                     "lib::send_",
                     {number, listOf({listOf({a}), b}), tensor(4, 40, {4})},
                     {},
                     "lib::send_(int x, Tensor[] t, Tensor u) -> ()"};
  CHECK(edgesOf({named, use(7, a), use(9, b), use(11, tensor(4, 40, {4}))}).data == "5>7 5>9 ");
  const EtCall plain{5, 1, "send_", {a}, {}, ""};
  CHECK(edgesOf({plain, use(7, a)}).data.empty());
  // An inner call of a group writes for it.
  const EtCall around{5, 1, "lib::norm", {a}, {}};
  const EtCall inside{6, 5, "lib::write", {a}, {}, "lib::write(Tensor(a!) a) -> ()"};
  CHECK(edgesOf({around, inside, use(7, a)}).data == "5>7 ");
}

TEST_CASE("lists of tensors have an edge for each") {
  const EtValue a = tensor(2, 20, {4}), b = tensor(3, 30, {4});
  const EtCall each{9, 1, "lib::each_", {listOf({a, b})}, {}, "lib::each_(Tensor(a!)[] self) -> ()"};
  CHECK(edgesOf({make(5, a), make(7, b), each, use(11, b)}).data == "5>9 7>9 9>11 ");
}

TEST_CASE("writes after reads and after writes are orders, where there are no data") {
  const EtValue a = tensor(2, 20, {4});
  const EtCall fill{
      11, 1, "lib::copy", {a, tensor(3, 30, {4})}, {a}, "lib::copy(Tensor(a!) self, Tensor src) -> Tensor(a!)"};
  const Found found = edgesOf({make(5, a), use(7, a), use(9, a), fill, use(13, a)});
  CHECK(found.data == "5>7 5>9 5>11 11>13 ");
  CHECK(found.order == "7>11 9>11 ");
}

TEST_CASE("a storage that is born again has no writer before it") {
  const EtValue large = tensor(2, 20, {8}), small = tensor(3, 20, {4});
  const Found found =
      edgesOf({make(5, large), use(7, large), make(9, small), use(11, small), use(13, tensor(4, 20, {1}, 2))});
  CHECK(found.data == "5>7 9>11 9>13 ");
  CHECK(found.order.empty());
  CHECK(found.births == "5:20 9:20 ");
}

TEST_CASE("memory that no call returned is another storage where it is larger") {
  const EtValue small = tensor(2, 20, {1}), large = tensor(3, 20, {2});
  CHECK(edgesOf({make(5, small), use(7, large)}).data.empty());
  CHECK(edgesOf({make(5, large), use(7, small)}).data == "5>7 ");
  // A view that a call returns is of the same storage.
  CHECK(edgesOf({make(5, small), {7, 1, "lib::grow", {small}, {large}}, use(9, large)}).data == "5>7 5>9 ");
}

TEST_CASE("what a call inside of a group makes is born there, and read by who takes it later") {
  const EtCall around{5, 1, "lib::loss", {tensor(2, 20, {4})}, {tensor(3, 30, {4})}};
  const EtCall inside{6, 5, "lib::softmax", {tensor(2, 20, {4})}, {tensor(4, 40, {4})}};
  const EtCall last{7, 5, "lib::sum", {tensor(4, 40, {4})}, {tensor(3, 30, {4})}};
  const Found found = edgesOf({around, inside, last, use(9, tensor(4, 40, {4}))});
  CHECK(found.births == "6:40 7:30 ");
  CHECK(found.data == "5>9 ");
}

TEST_CASE("a call without a declaration takes and returns what the calls directly inside of it do") {
  const EtValue a = tensor(2, 20, {4}), b = tensor(3, 30, {4}), c = tensor(4, 40, {4});
  EtCall region{7, 1, "region"};
  region.schema = "";
  const EtCall first{8, 7, "lib::f", {a}, {b}}, second{9, 7, "lib::f", {b}, {c}};
  CHECK(edgesOf({make(5, a), region, first, second, use(11, c)}).data == "5>7 7>11 ");
  region.schema = "lib::region() -> ()";
  CHECK(edgesOf({make(5, a), region, first, second, use(11, c)}).data == "7>11 ");
}

TEST_CASE("without strides a tensor is its whole storage") {
  const auto flat = [](int64_t id, const std::string& inputs, const std::string& types, const std::string& outputs) {
    return fmt::format(
        R"({{"name":"lib::f","id":{},"rf_id":{},"parent":1,"tid":1,"op_schema":"lib::f(Tensor a) -> Tensor",)"
        R"et("inputs":{},"input_shapes":[[4]],"input_types":{},"outputs":{},"output_shapes":[[4]],"output_types":["Tensor(float)"]}})et",
        id, id, inputs, types, outputs);
  };
  const EtRead read =
      readExecutionTraceText(document({flat(3, "[]", "[]", R"([[2,20,0,4,4,"cpu"]])"),
                                       flat(5, R"([[4,20,100,4,4,"cpu"]])", R"et(["Tensor(float)"])et", "[]")},
                                      "1.0.1"));
  REQUIRE_MESSAGE(read.trace, read.reported);
  const std::vector<NodeId> groups = {NodeId(0), NodeId(1)};
  DiagnosticEngine engine;
  const auto edges = findDataEdges(*read.trace, groups, engine);
  REQUIRE(edges);
  CHECK(edges->data.size() == 1);
}

TEST_CASE("who knows allocations decides what is born") {
  const EtValue a = tensor(2, 20, {4});
  const EtCall around{7, 1, "lib::get", {}, {a}}, inside{8, 7, "lib::get", {}, {a}};
  const auto never = [](NodeId, const execution_trace::Tensor&) { return std::optional(false); };
  const auto always = [](NodeId, const execution_trace::Tensor&) { return std::optional(true); };
  CHECK(edgesOf({around, inside}, never).births.empty());
  CHECK(edgesOf({around, inside}, always).births == "8:20 ");
  CHECK(edgesOf({around, inside}).births == "8:20 ");
}

TEST_CASE("a million calls inside each other, and as many parts of a storage, take no stack and linear time") {
  std::vector<std::string> nodes;
  for (int64_t id = 1'000'000; id > 1; --id)
    nodes.push_back(fmt::format(R"({{"id":{},"name":"f","ctrl_deps":{}}})", id, id - 1));
  const EtRead deep = readExecutionTraceText(document(nodes));
  REQUIRE(deep.trace);
  const std::vector<NodeId> one = {NodeId(0)};
  DiagnosticEngine engine;
  CHECK(findDataEdges(*deep.trace, one, engine));

  std::vector<EtCall> parts;
  constexpr int64_t kParts = 20'000;
  for (int64_t part = 0; part < kParts; ++part)
    parts.push_back(write(part + 2, tensor(part + 100'000, 20, {2}, 2 * part)));
  parts.push_back(use(kParts + 3, tensor(7, 20, {2 * kParts})));
  const ExecutionTrace trace = traceOf(parts);
  std::vector<NodeId> groups;
  for (const NodeId node : trace.id.ids()) groups.push_back(node);
  const auto edges = findDataEdges(trace, groups, engine);
  REQUIRE(edges);
  CHECK(edges->data.size() == kParts);
}

TEST_CASE("orders beyond the limit are an error") {
  std::vector<EtCall> calls;
  constexpr int64_t kEach = 4500;
  for (int64_t i = 0; i < kEach; ++i) calls.push_back(use(i + 2, tensor(7, 20, {2 * kEach})));
  for (int64_t i = 0; i < kEach; ++i) calls.push_back(write(i + 2 + kEach, tensor(i + 100'000, 20, {2}, 2 * i)));
  const ExecutionTrace trace = traceOf(calls);
  std::vector<NodeId> groups;
  for (const NodeId node : trace.id.ids()) groups.push_back(node);
  DiagnosticEngine engine;
  CHECK_FALSE(findDataEdges(trace, groups, engine));
  CHECK(engine.errorCount() == 1);
}

TEST_CASE("a storage lives until its number is that of other memory, which is as large as any call uses of it") {
  const Found found = edgesOf({use(3, tensor(2, 20, {4})), make(5, tensor(4, 40, {4})), use(7, tensor(4, 40, {2})),
                               write(9, tensor(5, 20, {2}, 6)), make(11, tensor(6, 40, {8})),
                               use(13, tensor(6, 40, {16})), use(15, tensor(6, 40, {8}))});
  // 13 takes bytes behind those that 11 returned: it is other memory.
  CHECK(found.lives == "3..9:32 +5..7:16| +11..11:32| 13..15:64 ");
  CHECK(found.written == "5:1 9:0 11:2 ");
}

TEST_CASE("without strides, views that repeat elements do not count to what a storage takes") {
  EtValue made = tensor(4, 40, {4}), repeated = tensor(5, 40, {100});
  made.strides = repeated.strides = "0";
  CHECK(edgesOf({make(3, made), use(5, repeated)}).lives == "+3..5:16 ");
  CHECK(edgesOf({use(3, made), use(5, repeated)}).lives == "3..5:400 ");
}

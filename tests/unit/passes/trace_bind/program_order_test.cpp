#include "passes/trace_bind/program_order.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "models.h"

namespace amdahlc::binding {
namespace {

using testing::Model;
using testing::ModelProgram;

/// Operators by their rank in the likely order.
std::vector<ir::OpId> inLikelyOrder(const Model& model) {
  const ModelProgram built(model);
  const auto& rank = built.graph.orders().rank(built.graph.orders().likely());
  std::vector<ir::OpId> ops;
  for (const ir::OpId op : model.module.ops.ids()) ops.push_back(op);
  std::sort(ops.begin(), ops.end(), [&](ir::OpId a, ir::OpId b) { return rank[a] < rank[b]; });
  return ops;
}

OrderKind likely(const Model& model) { return ModelProgram(model).graph.orders().likely(); }

TEST_CASE("calls in the order of their numbers leave the nodes as they are") {
  Model model;
  const auto a = model.node("MatMul", "linear"), b = model.node("MatMul", "linear_1"),
             c = model.node("Add", "linear_1"), d = model.node("Relu", "relu");
  CHECK(likely(model) == OrderKind::Model);
  CHECK(inLikelyOrder(model) == std::vector<ir::OpId>{a, b, c, d});
}

TEST_CASE("one call out of order is enough to go by the numbers of calls") {
  Model model;
  for (int i = 0; i < 30; ++i) model.node("Relu", "relu_" + std::to_string(i));
  const auto later = model.node("MatMul", "linear_2"), first = model.node("MatMul", "linear"),
             second = model.node("MatMul", "linear_1");
  CHECK(likely(model) == OrderKind::Numbers);
  const auto order = inLikelyOrder(model);
  const auto place = [&](ir::OpId op) { return std::find(order.begin(), order.end(), op); };
  CHECK(place(first) < place(second));
  CHECK(place(second) < place(later));
}

TEST_CASE("numbers do not make an operator precede what it reads") {
  Model model;
  const auto read = model.node("MatMul", "linear_7");
  const auto reads = model.op("MatMul", {model.out(read)});
  model.module.ops[reads].sourceCall = model.module.strings.intern("linear_1");
  const auto other = model.node("MatMul", "linear_3");
  CHECK(likely(model) == OrderKind::Numbers);
  const auto order = inLikelyOrder(model);
  CHECK(order == std::vector<ir::OpId>{other, read, reads});
}

TEST_CASE("a digit of an operator's name is no running number") {
  Model model;
  for (const char* call : {"log2", "log2_1", "log", "log_1", "relu6", "relu"}) model.node("Log", call);
  CHECK(likely(model) == OrderKind::Model);
}

TEST_CASE("names that the exporter gave to constants tell the order of their readers") {
  Model model;
  const auto reader = [&](std::string_view node, std::string_view constant) {
    const auto op = model.node("MatMul");
    model.module.ops[op].name = model.module.strings.intern(node);
    const auto weight = model.constant({1, 2});
    model.module.values[weight].name = model.module.strings.intern(constant);
    model.module.ops[op].inputs.push_back(weight);
    return op;
  };
  const auto value = reader("/v/MatMul_2", "onnx::MatMul_30"), query = reader("/q/MatMul", "onnx::MatMul_10"),
             key = reader("/k/MatMul", "onnx::MatMul_20"), moved = reader("/v/MatMul_1", "w");
  CHECK(likely(model) == OrderKind::Numbers);
  const auto order = inLikelyOrder(model);
  const auto place = [&](ir::OpId op) { return std::find(order.begin(), order.end(), op); };
  CHECK(place(query) < place(key));
  CHECK(place(key) < place(value));
  CHECK(place(moved) < place(value));
}

}  // namespace
}  // namespace amdahlc::binding

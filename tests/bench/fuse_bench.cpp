// Matching and choosing: transformer layers as an exporter writes them (attention and GELU decomposed), grown to a
// million operators, and 100 rules of which some apply everywhere, some share roots with others, and most never apply.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench.h"
#include "ir/kernel_graph.h"
#include "passes/fuse/choice_order.h"
#include "passes/fuse/cover_builder.h"
#include "passes/fuse/enumeration.h"
#include "passes/manager/pass.h"

namespace amdahlc {
std::unique_ptr<Pass> makeFusePass();
}

namespace amdahlc::bench {

namespace {

using ir::ValueId;

class ModelMaker {
 public:
  explicit ModelMaker(ir::Module& module) : module_(module) {
    module.opsets[""] = 18;
    module.graphs.emplace_back();
  }
  ValueId input() { return add(ir::Value::Kind::Input); }
  ValueId constant() { return add(ir::Value::Kind::Constant); }
  ValueId scalar(double value) {
    const ValueId id = constant();
    ir::TensorConstant data;
    data.type = ir::Type::tensor(ir::ElementType::Float, {});
    data.floats = std::vector<double>{value};
    module_.values[id].constant = data;
    return id;
  }
  ValueId op(const char* type, std::vector<ValueId> inputs) {
    const auto id = ir::OpId(module_.ops.size());
    ir::Op& made = module_.ops.emplace_back();
    made.type = module_.strings.intern(type);
    made.inputs = std::move(inputs);
    module_.graphs[ir::kMainGraph].order.push_back(id);
    const ValueId value = add(ir::Value::Kind::Result);
    module_.values[value].producer = id;
    module_.ops[id].outputs = {value};
    return value;
  }
  ValueId linear(ValueId x) { return op("Add", {op("MatMul", {x, constant()}), constant()}); }
  ValueId heads(ValueId x) { return op("Transpose", {op("Reshape", {x, constant()})}); }

  /// 39 operators.
  ValueId layer(ValueId x) {
    const ValueId q = heads(linear(x));
    const ValueId k = op("Transpose", {heads(linear(x))});
    const ValueId v = heads(linear(x));
    const ValueId scores = op("Add", {op("Div", {op("MatMul", {q, k}), scalar(8)}), constant()});
    const ValueId context = op("MatMul", {op("Softmax", {scores}), v});
    const ValueId joined = linear(op("Reshape", {op("Transpose", {context}), constant()}));
    const ValueId normed = norm(op("Add", {joined, x}));
    const ValueId wide = linear(normed);
    const ValueId curve = op("Add", {op("Erf", {op("Div", {wide, scalar(1.41421)})}), scalar(1)});
    const ValueId gelu = op("Mul", {op("Mul", {wide, curve}), scalar(0.5)});
    return norm(op("Add", {linear(gelu), normed}));
  }

 private:
  ValueId norm(ValueId x) { return op("LayerNormalization", {x, constant(), constant()}); }
  ValueId add(ir::Value::Kind kind) {
    const auto id = module_.values.nextId();
    ir::Value& value = module_.values.emplace_back();
    value.kind = kind;
    return id;
  }
  ir::Module& module_;
};

/// A pattern over nested calls, written as a term: `Softmax(Add?(Div?(MatMul(x,y),c),m))`. Lower-case names are
/// captured, `#` is a constant, a name after which `?` stands may be left out.
class PatternReader {
 public:
  static ir::Pattern read(const char* text) {
    PatternReader reader{text};
    const uint32_t root = reader.term();
    reader.pattern_.results = {root};
    return std::move(reader.pattern_);
  }

 private:
  explicit PatternReader(const char* text) : at_(text) {}
  uint32_t term() {
    if (*at_ == '#') {
      ++at_;
      return value({}, ir::PatternValue::Kind::Constant);
    }
    std::string name;
    while (std::isalnum(static_cast<unsigned char>(*at_)) != 0) name += *at_++;
    if (std::islower(static_cast<unsigned char>(name[0])) != 0) {
      for (uint32_t i = 0; i < pattern_.values.size(); ++i) {
        if (pattern_.values[i].name == name) return i;
      }
      return value(name, ir::PatternValue::Kind::Captured);
    }
    const bool optional = *at_ == '?';
    at_ += optional;
    ir::PatternNode node;
    node.operators.any = {{"", name}};
    node.anyOrder = name == "Add" || name == "Mul";
    do {
      // ( or ,.
      ++at_;
      node.operands.push_back(term());
    } while (*at_ == ',');
    // ).
    ++at_;
    const uint32_t result = value({}, ir::PatternValue::Kind::Defined);
    auto& definitions = pattern_.values[result].definitions;
    definitions.push_back({false, static_cast<uint32_t>(pattern_.nodes.size()), 0});
    if (optional) definitions.push_back({true, node.operands[0], 0});
    node.outputs = {result};
    pattern_.nodes.push_back(std::move(node));
    return result;
  }
  uint32_t value(std::string name, ir::PatternValue::Kind kind) {
    ir::PatternValue& made = pattern_.values.emplace_back();
    made.name = std::move(name);
    made.kind = kind;
    return static_cast<uint32_t>(pattern_.values.size() - 1);
  }
  const char* at_;
  ir::Pattern pattern_;
};

/// 20 rules of a real library's kind, 40 that begin like them and fail, 40 whose operators the model does not have.
ir::RuleSet hundredRules() {
  ir::RuleSet set;
  const auto add = [&](std::string name, const char* text) {
    ir::Rule& rule = set.rules.emplace_back();
    rule.name = rule.label = std::move(name);
    rule.patterns.push_back(PatternReader::read(text));
  };
  const char* const real[] = {"Add(MatMul(x,#),#)",
                              "MatMul(x,#)",
                              "MatMul(x,y)",
                              "Mul(Mul(x,Add(Erf(Div(x,#)),#)),#)",
                              "MatMul(Softmax(Add?(Div?(MatMul(q,k),#),m)),v)",
                              "MatMul(Softmax(Add?(Mul?(MatMul(q,Transpose(k)),#),m)),v)",
                              "Softmax(x)",
                              "LayerNormalization(x,s,b)",
                              "LayerNormalization(Add(x,y),s,b)",
                              "Add(x,y)",
                              "Add(x,#)",
                              "Mul(x,y)",
                              "Div(x,y)",
                              "Erf(x)",
                              "Transpose(x)",
                              "Reshape(x,#)",
                              "Reshape(Transpose(x),#)",
                              "Transpose(Reshape(x,#))",
                              "Add(Erf(Div(x,#)),#)",
                              "Softmax(Add(x,m))"};
  for (const char* text : real) add(fmt::format("real-{}", set.rules.size()), text);
  const char* const roots[] = {"Add(MatMul(x,#),{})", "Mul(x,Add({},y))", "MatMul(Softmax({}),v)",
                               "LayerNormalization({},s,b)", "Reshape(Transpose({}),#)"};
  for (int i = 0; i < 40; ++i) {
    add(fmt::format("near-{}", i), fmt::format(fmt::runtime(roots[i % 5]), fmt::format("Absent{}(z)", i)).c_str());
  }
  for (int i = 0; i < 40; ++i)
    add(fmt::format("absent-{}", i), fmt::format("Add(Absent{}(x),y)", i).replace(0, 3, "Concat").c_str());
  set.addViews({}, {{"", "Reshape"}, {"", "Transpose"}});
  return set;
}

}  // namespace

void fuse() {
  GrowthTable table({"index", "match", "choose", "number kernels", "whole pass"});
  std::string counts;
  for (const size_t size : {10'000u, 100'000u, 1'000'000u}) {
    ir::Module module;
    ModelMaker producer(module);
    ValueId value = producer.input();
    while (module.ops.size() < size) value = producer.layer(value);
    module.graphs[ir::kMainGraph].outputs = {value};
    module.rules = hundredRules();

    const int runs = size > 500'000 ? 3 : 5;
    const ir::OperatorGraph graph(module);
    const RuleIndex index(module);
    const double indexMs = bestOfMs(runs, [&] {
      const ir::OperatorGraph freshGraph(module);
      const RuleIndex freshIndex(module);
    });
    Enumeration found;
    const double matchMs =
        bestOfMs(runs, [&] { found = enumerateCandidates(module, graph, index, {}, false); }, [&] { found = {}; });
    counts += fmt::format("{:>12} operators: {} attempts, {} steps, {} candidates\n", module.ops.size(), found.attempts,
                          found.steps, found.candidates.size());
    module.candidates = std::move(found.candidates);
    const double chooseMs = bestOfMs(runs, [&] {
      CoverBuilder builder(module, graph);
      builder.choose(ChoiceOrder(module, graph).candidates());
    });
    CoverBuilder builder(module, graph);
    builder.choose(ChoiceOrder(module, graph).candidates());
    std::optional<IdVector<ir::KernelId, ir::Kernel>> kernels;
    const double numberMs = bestOfMs(runs, [&] { kernels = builder.kernels(); }, [&] { kernels.reset(); });
    const double passMs = bestOfMs(
        runs,
        [&] {
          DiagnosticEngine diagnostics;
          AnalysisManager analyses(module);
          PassContext context(diagnostics, analyses);
          makeFusePass()->run(module, context);
        },
        [&] { module.retract(ir::Facet::Fused); });
    table.add(module.ops.size(), {indexMs, matchMs, chooseMs, numberMs, passMs});
  }
  table.print("fuse with 100 rules", "operators");
  fmt::print("{}", counts);
}

}  // namespace amdahlc::bench

/// The parts of the printer. Private to this component.
#pragma once

#include <unordered_set>

#include "ir/module.h"
#include "ir/text/writer.h"

namespace amdahlc::ir {

/// Prints graphs, and references to their values and operators.
class GraphPrinter {
 public:
  GraphPrinter(const Module& module, TextWriter& out);

  void printGraph(GraphId graph);
  /// `%name` in the scope of `graph`; `^k` skips k values of the same name in inner graphs; `_` is no value.
  void printValue(GraphId graph, ValueId value);
  /// `%y = MatMul(%x, %w)`.
  void printHead(OpId op);

 private:
  void printOp(OpId op);
  void printOutputTypes(const Op& op, OpId id);
  void printValueFacts(const Value& value);
  void printLiteral(const TensorConstant& constant, const Type& expected);
  void printAttribute(const Attribute& attribute);
  void printTensor(const TensorConstant& constant);
  void printErased(GraphId graph);

  const Module& module_;
  TextWriter& out_;
  IdVector<GraphId, std::vector<ValueId>> constants_;
  IdVector<GraphId, std::vector<OpId>> erased_;
  /// Graph << 32 | symbol; filled only if there are several graphs.
  std::unordered_set<uint64_t> names_;
};

void printTarget(TextWriter& out, const Target& target);

/// Every rule for which `wanted` holds, with the hidden operators and the views, as text of the rule language.
std::string printRuleSet(const RuleSet& rules, const IdVector<RuleId, bool>& wanted);

void printTimeline(TextWriter& out, const Timeline& timeline);

void printCandidates(TextWriter& out, GraphPrinter& graphs, const Module& module);
void printCover(TextWriter& out, GraphPrinter& graphs, const Module& module, const Cover& cover);
void printScenario(TextWriter& out, const Scenario& scenario);

}  // namespace amdahlc::ir

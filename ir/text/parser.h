/// Recursive descent over the text form of a module. Private to this component.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/module.h"
#include "ir/text.h"
#include "ir/text/reader.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::ir {

class Parser : public TextReader {
 public:
  Parser(BufferId buffer, const SourceManager& sources, const RuleReader& readRules, DiagnosticEngine& diagnostics)
      : TextReader(buffer, sources, diagnostics), readRules_(readRules) {}

  /// The module as written; verified by the caller.
  std::optional<Module> parse();

 private:
  OpId opRef();
  std::optional<OpId> knownOpRef();
  /// Reports an operator that the graphs do not define.
  bool isKnown(OpId op, SourceRange where);

  // Module.
  void parseTop();
  void parseFrontEnd();
  void parseTarget(Target& target);
  void parseFacets();
  DataProblem parseProblem();
  void parseScope();
  void parseStorage();
  StorageId storageRef();
  void resolveErased();
  void finishGraphs();

  // Graphs.
  struct ValueName {
    std::string text;
    size_t skipped = 0;
    SourceRange where;
  };
  /// A use of a value that may be defined later: an operand of an erased operator, or an output of a graph if there is
  /// no operator.
  struct DeferredUse {
    GraphId graph;
    OpId op;
    size_t index;
    ValueName name;
  };
  GraphId parseGraph(OpId parent, int depth);
  void parseReturned(GraphId graph);
  void parseGraphBody(GraphId graph, int depth);
  void parseDeclaration(GraphId graph, Value::Kind kind);
  void parseOp(GraphId graph, bool erased, int depth);
  void parseOpFacts(OpId op, int depth);
  void parseOpList(OpId op, std::vector<OpId> Op::* member);
  bool claimOp(OpId op, SourceRange where);
  void parseOperands(OpId op, bool erased);
  void parseOutputTypes(OpId op, const std::vector<std::optional<ValueName>>& outputs);
  void parseValueFacts(Value& value);
  TensorConstant parseLiteral(const Type& expected);
  std::vector<Attribute> parseAttributes();
  AttributeValue parseAttributeValue();
  TensorConstant parseTensor();
  std::optional<ValueName> valueName();
  ValueId define(GraphId graph, const ValueName& name, Value value);
  ValueId lookUp(GraphId graph, const ValueName& name) const;
  ValueId resolve(GraphId graph, const ValueName& name);
  ValueId valueRef(GraphId graph);

  // Rules and overlay.
  void parseRules();
  void parseCandidates();
  void parseTimeline();
  void parseEvent(Timeline& timeline);
  void parseTrack(Timeline& timeline);
  void parseIteration(Timeline& timeline);
  void parseCover();
  void parseKernel(Cover& cover);
  void parseFacet(Cover& cover, Facet facet);
  void parseScenario();
  void parseChange(Scenario& scenario);

  const RuleReader& readRules_;
  Module module_;
  bool sawGraph_ = false;
  bool sawRules_ = false;
  IdVector<OpId, bool> opSeen_;
  IdVector<GraphId, bool> graphSeen_;
  IdVector<GraphId, SourceRange> graphWhere_;
  /// By graph << 32 | symbol.
  std::unordered_map<uint64_t, ValueId> values_;
  std::unordered_map<std::string, RuleId> ruleIds_;
  std::vector<DeferredUse> deferredOutputs_, deferredOperands_;
  std::vector<std::pair<OpId, SourceRange>> deferredOps_;
};

}  // namespace amdahlc::ir

/// Recursive descent over the text form, by lines where it mends itself: after a syntax error, parsing goes on at the next line of the innermost
/// block, until there are too many. Private to this component.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/module.h"
#include "ir/text/lexer.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::ir {

class Parser {
 public:
  Parser(BufferId buffer, const SourceManager& sources, DiagnosticEngine& diagnostics);

  /// The module as written; verified by the caller.
  std::optional<Module> parse();

 private:
  // Tokens.
  SourceRange range(const Token& token) const { return {buffer_, token.begin, token.end}; }
  void advance();
  bool at(std::string_view text) const;
  bool accept(std::string_view text);
  bool expect(std::string_view text);
  bool atEnd() const { return token_.kind == Token::Kind::End; }

  // Errors. After `fail` every token is the end of the text until `recover`.
  void fail(const std::string& message);
  void failAt(SourceRange where, const std::string& message);
  /// "expected one of `words`", with a suggestion where a name was read.
  void failExpected(std::span<const std::string_view> words);
  void failExpected(std::initializer_list<std::string_view> words) {
    failExpected(std::span(words.begin(), words.size()));
  }
  void skipLine();
  bool recover();
  void unknown(SourceRange where, const std::string& message);

  // Leaves.
  int64_t integer(const char* what);
  uint32_t index(const char* what);
  template <typename IdType>
  IdType id(const char* what) {
    return IdType(index(what));
  }
  double real(const char* what);
  std::string string(const char* what);
  std::string nameOrString(const char* what);
  Type type();
  OpId opRef();
  std::optional<OpId> knownOpRef();
  std::vector<int64_t> integers(const char* what);
  std::vector<KernelId> kernelIds();
  std::optional<Rational> rational(const char* what);

  /// `{`, statements, `}`; a statement that fails is skipped to the end of its line.
  template <typename Statement>
  void block(const Statement& statement);
  /// `open`, elements separated by commas, `close`.
  template <typename Element>
  void list(const Element& element, std::string_view open = "[", std::string_view close = "]");

  // Module.
  void parseTop();
  void parseTarget(Target& target);
  void parseFacets();
  DataProblem parseProblem();
  void resolveErased();
  void finishGraphs();

  // Graphs.
  struct ValueName {
    std::string text;
    size_t skipped = 0;
    SourceRange where;
  };
  struct DeferredOperand {
    OpId op;
    uint32_t operand;
    ValueName name;
  };
  struct DeferredOutput {
    GraphId graph;
    size_t index;
    ValueName name;
  };
  struct DeferredOp {
    OpId op;
    SourceRange where;
  };
  GraphId parseGraph(OpId parent, int depth);
  void parseReturned(GraphId graph);
  void parseGraphBody(GraphId graph, int depth);
  void parseDeclaration(GraphId graph, Value::Kind kind);
  void parseOp(GraphId graph, bool erased, int depth);
  void parseOpFacts(OpId op, int depth);
  bool claimOp(OpId op, SourceRange where);
  void parseOperands(OpId op, bool erased);
  void parseOutputTypes(OpId op, const std::vector<std::optional<ValueName>>& outputs);
  void parseValueFacts(Value& value);
  TensorConstant parseLiteral(const Type& expected);
  std::vector<Attribute> parseAttributes();
  AttributeValue parseAttributeValue();
  AttributeValue parseAttributeList();
  std::optional<ValueName> valueName();
  ValueId define(GraphId graph, const ValueName& name, Value value);
  ValueId lookUp(GraphId graph, const ValueName& name) const;
  ValueId resolve(GraphId graph, const ValueName& name);
  ValueId valueRef(GraphId graph);

  // Rules.
  void parseRuleSet();
  void parseRule();
  Pattern parsePattern();
  void parsePatternValue(Pattern& pattern);
  void parsePatternNode(Pattern& pattern);
  LaunchSequence parseLaunch();
  Applicability parseApplicability();
  OperatorName operatorName();
  OperatorSet operatorSet();
  std::vector<OperatorName> operatorNames();
  void parseCount(uint32_t& min, uint32_t& max);
  Expr parseExpr(int depth);
  Expr parseParenthesised(int depth);
  void parseArguments(Expr& call, int depth, std::string_view open, std::string_view close);

  // Overlay.
  void parseCandidates();
  void parseTimeline();
  void parseEvent(Timeline& timeline);
  void parseTrack(Timeline& timeline);
  void parseIteration(Timeline& timeline);
  void parseCover();
  void parseKernel(Cover& cover);
  void parseBoundEvent(Kernel& kernel);
  RunTimes parseRunTimes();
  Branch parseBranch();
  void parseScenario();
  Prediction parsePrediction();

  BufferId buffer_;
  const SourceManager& sources_;
  DiagnosticEngine& diagnostics_;
  Lexer lexer_;
  Token token_;
  bool panicking_ = false;
  uint32_t resumeAt_ = 0;  ///< where parsing goes on after a failure
  size_t syntaxErrors_ = 0;
  size_t errorsBefore_ = 0;

  Module module_;
  bool sawGraph_ = false;
  IdVector<OpId, bool> opSeen_;
  IdVector<GraphId, bool> graphSeen_;
  IdVector<GraphId, SourceRange> graphWhere_;
  std::unordered_map<uint64_t, ValueId> values_;  ///< by graph << 32 | symbol
  std::unordered_map<std::string, RuleId> ruleIds_;
  std::vector<DeferredOperand> deferredOperands_;
  std::vector<DeferredOutput> deferredOutputs_;
  std::vector<DeferredOp> deferredOps_;
};

template <typename Statement>
void Parser::block(const Statement& statement) {
  expect("{");
  while (!panicking_ && !accept("}")) {
    if (atEnd()) {
      fail("expected `}`");
      return;
    }
    statement();
    if (panicking_ && !recover()) return;
  }
}

template <typename Element>
void Parser::list(const Element& element, std::string_view open, std::string_view close) {
  expect(open);
  if (accept(close)) return;
  while (!panicking_) {
    element();
    if (accept(close)) return;
    if (!accept(",")) {
      fail("expected `,` or `" + std::string(close) + "`");
      return;
    }
  }
}

}  // namespace amdahlc::ir

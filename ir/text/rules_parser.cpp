#include "ir/domain.h"
#include "ir/text/expressions.h"
#include "ir/text/parser.h"
#include "support/limits.h"

namespace amdahlc::ir {

OperatorName Parser::operatorName() {
  const auto part = [&] { return accept("*") ? std::string("*") : nameOrString("an operator type"); };
  OperatorName name;
  name.type = part();
  if (accept("::")) {
    name.domain = ownDomain(name.type);
    name.type = part();
  }
  return name;
}

std::vector<OperatorName> Parser::operatorNames() {
  std::vector<OperatorName> names;
  list([&] { names.push_back(operatorName()); });
  return names;
}

OperatorSet Parser::operatorSet() {
  OperatorSet set;
  set.any = operatorNames();
  if (accept("but")) set.none = operatorNames();
  return set;
}

void Parser::parseCount(uint32_t& min, uint32_t& max) {
  min = index("a count");
  expect("..");
  max = accept("*") ? 0 : index("a count or `*`");
}

void Parser::parseArguments(Expr& call, int depth, std::string_view open, std::string_view close) {
  list([&] { call.args.push_back(parseExpr(depth + 1)); }, open, close);
}

Expr Parser::parseParenthesised(int depth) {
  Expr expr;
  expect("(");
  Expr first = parseExpr(depth + 1);
  if (panicking_) return expr;
  expr.args.push_back(std::move(first));
  if (accept("in")) {
    expr.kind = Expr::Kind::In;
    parseArguments(expr, depth, "[", "]");
    expect(")");
    return expr;
  }
  const std::string_view word = token_.text;
  const auto kind =
      token_.kind == Token::Kind::Name || token_.kind == Token::Kind::Punctuation ? infixKind(word) : std::nullopt;
  if (!kind) {
    fail("expected an operator such as `==`, `and` or `in`");
    return expr;
  }
  expr.kind = *kind;
  const bool many = *kind == Expr::Kind::And || *kind == Expr::Kind::Or;
  do {
    expect(word);
    expr.args.push_back(parseExpr(depth + 1));
  } while (!panicking_ && many && at(word));
  expect(")");
  return expr;
}

Expr Parser::parseExpr(int depth) {
  Expr expr;
  expr.range = range(token_);
  if (panicking_) return expr;
  if (depth > limits::kExpressionTokens) {
    fail("expression nested deeper than " + std::to_string(limits::kExpressionTokens));
    return expr;
  }
  using Kind = Expr::Kind;
  if (at("(")) return parseParenthesised(depth);
  if (token_.kind == Token::Kind::Integer) {
    expr.kind = Kind::Int;
    expr.integer = integer("an integer");
  } else if (token_.kind == Token::Kind::Float || at("inf") || at("nan")) {
    expr.kind = Kind::Float;
    expr.real = real("a number");
  } else if (token_.kind == Token::Kind::String) {
    expr.kind = Kind::String;
    expr.text = string("a string");
  } else if (accept("~")) {
    expr.kind = Kind::Regex;
    expr.text = string("a regular expression");
  } else if (at("true") || at("false")) {
    expr.kind = Kind::Bool;
    expr.integer = at("true") ? 1 : 0;
    advance();
  } else if (const auto operation = token_.kind == Token::Kind::Name ? callOperator(token_.text) : std::nullopt) {
    expr.kind = *operation;
    advance();
    parseArguments(expr, depth, "(", ")");
  } else if (accept("name")) {
    expr.kind = Kind::Name;
    expr.text = string("a name");
  } else if (accept("call")) {
    expr.kind = Kind::Call;
    expr.text = string("a function");
    parseArguments(expr, depth, "(", ")");
  } else if (token_.kind == Token::Kind::Name) {
    expr.text = nameOrString("a name");
    expr.kind = at("(") ? Kind::Call : Kind::Name;
    if (expr.kind == Kind::Call) parseArguments(expr, depth, "(", ")");
  } else {
    fail("expected an expression");
  }
  return expr;
}

Applicability Parser::parseApplicability() {
  Applicability where;
  const auto names = [&](std::vector<std::string>& into) { list([&] { into.push_back(nameOrString("a name")); }); };
  while (!panicking_) {
    if (accept("runtime")) {
      names(where.runtimes);
    } else if (accept("vendor")) {
      names(where.vendors);
    } else if (accept("arch")) {
      names(where.archs);
    } else {
      break;
    }
  }
  return where;
}

void Parser::parsePatternValue(Pattern& pattern) {
  const SourceRange where = range(token_);
  if (const uint32_t number = index("a value's number"); !panicking_ && number != pattern.values.size()) {
    return failAt(where,
                  "value " + std::to_string(number) + " where " + std::to_string(pattern.values.size()) + " is next");
  }
  PatternValue value;
  if (token_.kind == Token::Kind::String) value.name = string("a name");
  if (accept("captured")) {
    value.kind = PatternValue::Kind::Captured;
  } else if (accept("constant")) {
    value.kind = PatternValue::Kind::Constant;
  } else if (accept("any")) {
    value.kind = PatternValue::Kind::Any;
  } else if (accept("defined")) {
    value.kind = PatternValue::Kind::Defined;
  } else {
    return failExpected({"captured", "constant", "any", "defined"});
  }
  value.optional = accept("optional");
  value.shared = accept("shared");
  if (accept("equals")) value.constant.equals = real("a number");
  if (accept("test")) value.constant.test = parseExpr(0);
  if (accept("by")) {
    list([&] {
      PatternValue::Definition definition;
      definition.alias = accept("value");
      if (!definition.alias) expect("node");
      definition.index = index("a number");
      if (!definition.alias) {
        expect(":");
        definition.output = index("an output's number");
      }
      value.definitions.push_back(definition);
    });
  }
  pattern.values.push_back(std::move(value));
}

void Parser::parsePatternNode(Pattern& pattern) {
  const SourceRange where = range(token_);
  if (const uint32_t number = index("a node's number"); !panicking_ && number != pattern.nodes.size()) {
    return failAt(where,
                  "node " + std::to_string(number) + " where " + std::to_string(pattern.nodes.size()) + " is next");
  }
  PatternNode node;
  node.operators = operatorSet();
  if (accept("times")) parseCount(node.min, node.max);
  const auto operand = [&] {
    if (node.moreOperands) return fail("expected `)`: `...` comes last");
    node.moreOperands = accept("...");
    if (!node.moreOperands) node.operands.push_back(index("a value's number"));
  };
  list(operand, "(", ")");
  expect("->");
  list([&] { node.outputs.push_back(accept("_") ? PatternNode::kNoValue : index("a value's number")); }, "(", ")");
  node.anyOrder = accept("any-order");
  node.view = accept("view");
  if (accept("attributes")) list([&] { node.attributes.push_back(parseExpr(0)); });
  pattern.nodes.push_back(std::move(node));
}

Pattern Parser::parsePattern() {
  Pattern pattern;
  block([&] {
    if (accept("value")) {
      parsePatternValue(pattern);
    } else if (accept("node")) {
      parsePatternNode(pattern);
    } else if (accept("where")) {
      pattern.where.push_back(parseExpr(0));
    } else if (accept("anchor")) {
      pattern.anchor = index("a node's number");
    } else if (accept("results")) {
      list([&] { pattern.results.push_back(index("a value's number")); });
    } else {
      failExpected({"value", "node", "where", "anchor", "results"});
    }
  });
  return pattern;
}

LaunchSequence Parser::parseLaunch() {
  LaunchSequence launch;
  launch.anyOrder = accept("any-order");
  const auto strings = [&](std::vector<std::string>& into) { list([&] { into.push_back(string("a name")); }); };
  block([&] {
    if (accept("applies")) {
      launch.where = parseApplicability();
    } else if (accept("operators")) {
      strings(launch.operators);
    } else if (accept("operator-patterns")) {
      strings(launch.operatorPatterns);
    } else if (accept("step")) {
      KernelStep step;
      if (token_.kind == Token::Kind::Integer) parseCount(step.min, step.max);
      step.test = parseExpr(0);
      launch.steps.push_back(std::move(step));
    } else {
      failExpected({"applies", "operators", "operator-patterns", "step"});
    }
  });
  return launch;
}

void Parser::parseRule() {
  Rule rule;
  expect("@");
  rule.range = range(token_);
  rule.name = nameOrString("a rule's name");
  block([&] {
    if (accept("label")) {
      rule.label = string("a label");
    } else if (accept("category")) {
      rule.category = nameOrString("a category");
    } else if (accept("doc")) {
      rule.doc = string("a doc comment");
    } else if (accept("file")) {
      rule.file = string("a file name");
    } else if (accept("priority")) {
      rule.priority = integer("a priority");
    } else if (accept("applies")) {
      rule.where = parseApplicability();
    } else if (accept("recompute")) {
      rule.recompute = true;
    } else if (accept("generated")) {
      rule.generated = true;
    } else if (accept("no-device-work")) {
      rule.noDeviceWork = true;
    } else if (accept("evidence")) {
      rule.namesOnly = accept("names");
      if (!rule.namesOnly) failExpected({"names"});
    } else if (accept("match")) {
      rule.patterns.push_back(parsePattern());
    } else if (accept("launch")) {
      rule.launches.push_back(parseLaunch());
    } else {
      failExpected({"label", "category", "doc", "file", "priority", "applies", "recompute", "generated",
                    "no-device-work", "evidence", "match", "launch"});
    }
  });
  if (panicking_) return;
  if (!ruleIds_.emplace(rule.name, RuleId(module_.rules.rules.size())).second) {
    return failAt(rule.range, "a second rule `@" + rule.name + "`");
  }
  module_.rules.rules.push_back(std::move(rule));
}

void Parser::parseRuleSet() {
  block([&] {
    if (accept("hidden")) {
      module_.rules.hidden = operatorSet();
    } else if (accept("views")) {
      Views views{{}, operatorNames()};
      if (accept("applies")) views.where = parseApplicability();
      module_.rules.views.push_back(std::move(views));
    } else if (accept("rule")) {
      parseRule();
    } else {
      failExpected({"hidden", "views", "rule"});
    }
  });
}

}  // namespace amdahlc::ir

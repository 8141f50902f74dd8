// Lowers terms to values and nodes.
//
//   masked = Add(scaled, mask)?;      value masked: by node Add, else as `scaled`
//   probs  = Softmax(masked);         value probs: by node Softmax over masked
//
// A value is created before its definitions, so that alternatives can define one value together.

#include "grammar/pattern_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "ir/type.h"
#include "support/edit_distance.h"
#include "support/limits.h"
#include "support/plural.h"

namespace amdahlc::grammar {
namespace {

using TermKind = ast::Term::Kind;
using ValueKind = ir::PatternValue::Kind;

}  // namespace

bool PatternBuilder::fail(DiagId id, SourceRange range, std::string message) {
  context_.diagnostics.error(id, range, std::move(message));
  return false;
}

bool PatternBuilder::spend(SourceRange range) {
  if (exhausted_) return false;
  if (++spent_ <= limits::kPatternOperators) return true;
  exhausted_ = true;
  context_.diagnostics.error(
      DiagId::AkpTooLarge, depth_ == 0 ? range : expanded_,
      fmt::format("pattern has more than {} operators with its fragments expanded", limits::kPatternOperators));
  return false;
}

std::string PatternBuilder::uniqueName(const std::string& wanted) {
  // In a condition, the name of an element type means the type.
  std::string name = wanted;
  while (ir::elementTypeFromName(name) || !names_.insert(name).second)
    name = fmt::format("{}_{}", wanted, ++nameUses_[wanted] + 1);
  return name;
}

uint32_t PatternBuilder::addValue(ValueKind kind, const std::string& name, SourceRange range) {
  ir::PatternValue value;
  value.kind = kind;
  if (!name.empty()) value.name = uniqueName(name);
  pattern_.values.push_back(std::move(value));
  ranges_.push_back(range);
  return static_cast<uint32_t>(pattern_.values.size() - 1);
}

uint32_t PatternBuilder::anyValue() {
  if (!any_) any_ = addValue(ValueKind::Any, "", {});
  return *any_;
}

std::optional<uint32_t> PatternBuilder::named(const std::string& name, SourceRange range, const Scope& scope) {
  if (const auto found = scope.names.find(name); found != scope.names.end()) return found->second;
  if (const auto later = scope.later.find(name); later != scope.later.end()) {
    context_.diagnostics.error(DiagId::AkpUnknownName, range, fmt::format("`{}` is used before its definition", name))
        .secondary(later->second, "defined here");
    return std::nullopt;
  }
  if (context_.schemas.find("", name) != nullptr || scope.file->classes.contains(name) ||
      scope.file->fragments.contains(name))
    return refuse(DiagId::AkpPattern, range, fmt::format("`{0}` needs its operands, as in `{0}(x)`", name));
  // A name that is wrong where it is defined is wrong at each use.
  if (!unknownNames_.insert(scope.prefix + name).second) return std::nullopt;
  std::vector<std::string> known;
  for (const auto& [key, value] : scope.names) known.push_back(key);
  known.push_back("const");
  auto report = unknownName(context_.diagnostics, range, fmt::format("unknown value `{}`", name), name, known);
  if (scope.prefix.empty() && !closestName(name, known))
    report.note("inputs of a pattern are named after `match`, as in `match(x, w)`; `_` is any value");
  return std::nullopt;
}

FragmentEntry* PatternBuilder::fragmentOf(const ast::Term& term, const Scope& scope) const {
  if (term.operators.any.size() != 1 || !term.operators.none.empty() || term.operators.any.front().domain)
    return nullptr;
  const auto found = scope.file->fragments.find(term.operators.any.front().type);
  return found == scope.file->fragments.end() ? nullptr : found->second;
}

/// The value of an operand. Constants and nested operators get new values.
std::optional<uint32_t> PatternBuilder::operand(const ast::Term& term, const std::shared_ptr<Scope>& scope) {
  switch (term.kind) {
    case TermKind::Value: {
      const auto value = named(term.name.text, term.range, *scope);
      if (!value || !term.optional) return value;
      if (pattern_.values[*value].kind != ValueKind::Captured)
        return refuse(DiagId::AkpPattern, term.range,
                      fmt::format("`{}` is produced inside the match, so it is never absent", term.name.text));
      pattern_.values[*value].optional = true;
      return value;
    }
    case TermKind::Any:
    case TermKind::Omitted: {
      if (term.kind == TermKind::Any && !term.optional) return anyValue();
      const uint32_t value = addValue(ValueKind::Captured, "", term.range);
      pattern_.values[value].optional = true;
      return value;
    }
    case TermKind::Constant: {
      if (term.optional)
        return refuse(DiagId::AkpPattern, term.range,
                      "`const` cannot be optional; name an input and test it with `where`");
      const uint32_t value = addValue(ValueKind::Constant, "", term.range);
      pattern_.values[value].constant = term.constant;
      if (term.constant.test &&
          !expressions_.test(*pattern_.values[value].constant.test, expression::Context::Constant))
        return std::nullopt;
      return value;
    }
    case TermKind::Call:
    case TermKind::Alternatives: {
      const uint32_t value = addValue(ValueKind::Defined, "", term.range);
      if (!define(term, scope, {value})) return std::nullopt;
      return value;
    }
    case TermKind::Operators:
      return refuse(DiagId::AkpPattern, term.range, "an operator needs its operands; write `(...)` for any");
    case TermKind::List:
      return refuse(DiagId::AkpPattern, term.range,
                    "several values where one is expected; alternatives are separated by `|`");
    case TermKind::Rest:
      break;
  }
  return refuse(DiagId::AkpPattern, term.range, "`...` is not a value");
}

bool PatternBuilder::define(const ast::Term& term, const std::shared_ptr<Scope>& scope,
                            const std::vector<uint32_t>& outputs) {
  if (exhausted_) return false;
  switch (term.kind) {
    case TermKind::Alternatives: {
      bool good = true;
      for (const ast::Term& each : term.terms) good = define(each, scope, outputs) && good;
      if (term.optional)
        return fail(DiagId::AkpPattern, term.range,
                    "`?` cannot follow alternatives; add the operand itself as an alternative, as in `(Relu(x) | x)`");
      return good;
    }
    case TermKind::Operators:
    case TermKind::Value:
    case TermKind::Any:
    case TermKind::Constant: {
      if (outputs.size() != 1)
        return fail(
            DiagId::AkpPattern, term.range,
            fmt::format("one value for {} names; only an operator or a fragment has several results", outputs.size()));
      if (term.optional)
        return fail(DiagId::AkpPattern, term.range, "`?` follows an operator, or an input among operands");
      const auto value = operand(term, scope);
      if (value) addAlias(outputs.front(), *value);
      return value.has_value();
    }
    case TermKind::List:
      if (term.terms.size() == outputs.size() && !term.optional) {
        bool good = true;
        for (size_t i = 0; i < outputs.size(); ++i)
          if (outputs[i] != kNone) good = define(term.terms[i], scope, {outputs[i]}) && good;
        return good;
      }
      return fail(DiagId::AkpPattern, term.range,
                  fmt::format("{} for {}", plural(term.terms.size(), "value"), plural(outputs.size(), "name")));
    case TermKind::Call:
      break;
    default:
      return fail(DiagId::AkpPattern, term.range, "expected an operator, a value or alternatives");
  }

  bool good = true;
  bool more = false;
  std::vector<uint32_t> operands;
  std::optional<uint32_t> bypass;
  for (const ast::Term& each : term.terms) {
    if (each.kind == TermKind::Rest) {
      more = true;
      if (each.name.text.empty()) continue;
      scope->rest.emplace(each.name.text, each.range);
      good = named(each.name.text, each.range, *scope).has_value() && good;
      continue;
    }
    const auto value = operand(each, scope);
    good = value.has_value() && good;
    operands.push_back(value.value_or(0));
    if (value && !bypass && pattern_.values[*value].kind != ValueKind::Constant) bypass = value;
  }
  if (!good) {
    // Also reports the operator's own errors in this run.
    std::vector<ir::Expr> attributes;
    if (fragmentOf(term, *scope) == nullptr)
      if (const auto operators = resolve(term.operators, *scope)) lowerAttributes(term, *operators, attributes);
    return false;
  }
  if (!defineCall(term, scope, outputs, operands, more)) return false;
  if (!term.optional) return true;
  if (outputs.size() != 1 || !bypass)
    return fail(DiagId::AkpPattern, term.range,
                outputs.size() != 1
                    ? "`?` on an operator with several results"
                    : "`?` needs an operand that is not constant: the value where the operator is absent");
  addAlias(outputs.front(), *bypass);
  return true;
}

bool PatternBuilder::defineCall(const ast::Term& term, const std::shared_ptr<Scope>& scope,
                                const std::vector<uint32_t>& outputs, std::vector<uint32_t> operands, bool more) {
  if (FragmentEntry* fragment = fragmentOf(term, *scope)) {
    if (term.counted || !term.attributes.empty() || more)
      return fail(DiagId::AkpFragment, term.range,
                  fmt::format("a fragment takes {}", term.counted ? "no count"
                                                     : more       ? "no `...`"
                                                                  : "no attribute tests"));
    // `_` given to a fragment is one value inside it.
    for (uint32_t& value : operands)
      if (pattern_.values[value].kind == ValueKind::Any) value = addValue(ValueKind::Captured, "", term.range);
    return defineFragment(term, *fragment, operands, outputs);
  }
  auto operators = resolve(term.operators, *scope);
  if (!operators || !spend(term.range)) return false;
  const bool chain = term.counted && (term.min != 1 || term.max != 1);
  if (chain && outputs.size() != 1) return fail(DiagId::AkpPattern, term.range, "a chain of operators has one result");
  if (chain && operands.empty())
    return fail(DiagId::AkpPattern, term.range, "a chain of operators needs the operand it starts from");
  ir::PatternNode node;
  node.min = term.min;
  node.max = term.max;
  node.operands = operands;
  node.outputs = outputs;
  // A view has one data operand; rules need not mention the others, such as the shape of Reshape.
  node.moreOperands = more || operators->views || chain;
  if (!lowerAttributes(term, *operators, node.attributes)) return false;
  checkAgainstSchemas(term, *operators, operands.size(), node.moreOperands, outputs.size());

  auto add = [&](ir::OperatorSet set, bool anyOrder) {
    ir::PatternNode created = node;
    created.operators = std::move(set);
    created.anyOrder = anyOrder;
    pattern_.nodes.push_back(std::move(created));
    const auto index = static_cast<uint32_t>(pattern_.nodes.size() - 1);
    for (uint32_t i = 0; i < outputs.size(); ++i)
      if (outputs[i] != kNone) pattern_.values[outputs[i]].definitions.push_back({false, index, i});
  };
  // `(Mul | Div)(x, const)`: Mul matches in either order and Div does not, so each gets its own node.
  ir::OperatorSet commutative, ordered;
  if (operands.size() == 2 && !node.moreOperands && operators->set.none.empty())
    for (const ir::OperatorName& op : operators->set.any)
      (isCommutative(op.domain, op.type) ? commutative : ordered).any.push_back(op);
  else
    ordered = operators->set;
  if (!commutative.any.empty()) add(commutative, true);
  if (!ordered.any.empty() || !ordered.none.empty()) add(ordered, false);
  return true;
}

bool PatternBuilder::defineFragment(const ast::Term& term, FragmentEntry& entry, const std::vector<uint32_t>& operands,
                                    const std::vector<uint32_t>& outputs) {
  auto& diagnostics = context_.diagnostics;
  const ast::Pattern& written = entry.declaration->pattern;
  const std::string& name = entry.declaration->name.text;
  if (entry.state == FragmentEntry::State::Unchecked) checkFragment(entry, context_);
  if (entry.state == FragmentEntry::State::Checking) {
    diagnostics.error(DiagId::AkpFragment, term.range, fmt::format("fragment `{}` uses itself", name))
        .secondary(entry.declaration->name.range, "declared here");
    return false;
  }
  if (entry.state == FragmentEntry::State::Bad || !spend(term.range)) return false;
  if (depth_ == 0) expanded_ = term.range;
  if (++depth_ > limits::kFragmentNesting)
    return fail(DiagId::AkpTooLarge, term.range,
                fmt::format("fragments nest deeper than {}", limits::kFragmentNesting));
  size_t required = written.parameters.size();
  while (required > 0 && written.parameters[required - 1].optional) --required;
  if (operands.size() < required || operands.size() > written.parameters.size()) {
    diagnostics
        .error(DiagId::AkpFragment, term.range,
               fmt::format("fragment `{}` takes {}, {} given", name, plural(written.parameters.size(), "operand"),
                           operands.size()))
        .secondary(entry.declaration->name.range, "declared here");
    return false;
  }
  if (outputs.size() > written.results.size()) {
    diagnostics
        .error(DiagId::AkpFragment, term.range,
               fmt::format("fragment `{}` has {}, {} names given", name, plural(written.results.size(), "result"),
                           outputs.size()))
        .secondary(entry.declaration->name.range, "declared here");
    return false;
  }
  auto scope = std::make_shared<Scope>();
  scope->file = entry.home;
  scope->prefix = name + "_";
  for (size_t i = 0; i < written.parameters.size(); ++i) {
    uint32_t value = i < operands.size() ? operands[i] : addValue(ValueKind::Captured, "", term.range);
    if (i >= operands.size()) pattern_.values[value].optional = true;
    scope->names.emplace(written.parameters[i].name.text, value);
  }
  bool good = defineAll(written, scope);
  for (size_t i = 0; i < outputs.size() && good; ++i)
    if (outputs[i] != kNone) good = define(written.results[i], scope, {outputs[i]});
  --depth_;
  return good;
}

/// The statements of a match or fragment, in order.
bool PatternBuilder::defineAll(const ast::Pattern& written, const std::shared_ptr<Scope>& scope) {
  auto& diagnostics = context_.diagnostics;
  bool good = true;
  for (const ast::Definition& definition : written.definitions)
    for (const ast::Name& target : definition.targets)
      if (target.text != "_") scope->later.emplace(target.text, target.range);
  for (const ast::Definition& definition : written.definitions) {
    std::vector<uint32_t> outputs;
    std::vector<std::pair<std::string, uint32_t>> created;
    for (const ast::Name& target : definition.targets) {
      if (target.text == "_") {
        outputs.push_back(kNone);
        continue;
      }
      const auto before = scope->names.find(target.text);
      const bool twice = before != scope->names.end() ||
                         std::ranges::any_of(created, [&](const auto& m) { return m.first == target.text; });
      if (twice) {
        auto report =
            diagnostics.error(DiagId::AkpDuplicate, target.range, fmt::format("`{}` is defined twice", target.text));
        if (before != scope->names.end()) report.secondary(ranges_[before->second], "first here");
        good = false;
      }
      outputs.push_back(addValue(ValueKind::Defined, scope->prefix + target.text, target.range));
      created.emplace_back(target.text, outputs.back());
    }
    if (definition.term.kind == TermKind::Constant && outputs.size() == 1 && outputs.front() != kNone &&
        !definition.term.optional) {
      ir::PatternValue& value = pattern_.values[outputs.front()];
      value.kind = ValueKind::Constant;
      value.constant = definition.term.constant;
      if (value.constant.test) good = expressions_.test(*value.constant.test, expression::Context::Constant) && good;
    } else {
      good = define(definition.term, scope, outputs) && good;
    }
    for (auto& [name, value] : created) {
      scope->names.emplace(name, value);
      scope->later.erase(name);
    }
  }
  for (const ast::Name& name : written.shared) {
    const auto value = named(name.text, name.range, *scope);
    good = value.has_value() && good;
    if (value && pattern_.values[*value].kind != ValueKind::Defined)
      good = fail(DiagId::AkpPattern, name.range,
                  fmt::format("`{}` is not produced inside the match, so `shared` has no effect", name.text));
    else if (value)
      pattern_.values[*value].shared = true;
  }
  for (const ir::Expr& expr : written.where) conditions_.push_back({expr, scope});
  return good;
}

/// The inputs, the statements and the results of a match, or of a fragment by itself. The values of the results;
/// nullopt after an error.
std::optional<std::vector<uint32_t>> PatternBuilder::defineWhole(const ast::Pattern& written,
                                                                 const std::shared_ptr<Scope>& scope, bool isFragment) {
  bool good = true;
  for (const ast::Parameter& parameter : written.parameters) {
    const std::string& name = parameter.name.text;
    const bool needsName = name == "_" && !isFragment;
    if (needsName || scope->names.contains(name)) {
      good = fail(DiagId::AkpDuplicate, parameter.name.range,
                  needsName ? "an input needs a name" : fmt::format("`{}` is defined twice", name));
      continue;
    }
    const uint32_t value = addValue(ValueKind::Captured, name, parameter.name.range);
    pattern_.values[value].optional = parameter.optional;
    scope->names.emplace(name, value);
  }
  good = defineAll(written, scope) && good;
  std::vector<uint32_t> results;
  for (const ast::Term& result : written.results) {
    const auto value = operand(result, scope);
    good = value.has_value() && good;
    results.push_back(value.value_or(0));
  }
  return good ? std::optional(std::move(results)) : std::nullopt;
}

std::optional<ir::Pattern> PatternBuilder::lower(const ast::Pattern& written) {
  const auto scope = std::make_shared<Scope>();
  scope->file = &file_;
  auto results = defineWhole(written, scope, false);
  return results ? finish(std::move(*results), written, scope) : std::nullopt;
}

void PatternBuilder::checkFragment(FragmentEntry& entry, CheckContext& context) {
  if (entry.state != FragmentEntry::State::Unchecked) return;
  entry.state = FragmentEntry::State::Checking;
  const ast::Pattern& written = entry.declaration->pattern;
  PatternBuilder builder(context, *entry.home);
  const auto scope = std::make_shared<Scope>();
  scope->file = entry.home;
  bool good = !written.anchor || builder.fail(DiagId::AkpFragment, written.anchor->range,
                                              "`anchor` belongs in a match, not in a fragment");
  good = builder.defineWhole(written, scope, true).has_value() && good;
  if (good) {
    builder.forward_.resize(builder.pattern_.values.size());
    std::iota(builder.forward_.begin(), builder.forward_.end(), 0u);
    good = builder.lowerConditions(std::vector<bool>(builder.pattern_.values.size(), true));
  }
  entry.state = good ? FragmentEntry::State::Good : FragmentEntry::State::Bad;
}

}  // namespace amdahlc::grammar

// Finishes a pattern: removes aliases, rejects definitions that no result needs, checks conditions, and makes indices
// dense.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ranges>
#include <span>
#include <utility>

#include "grammar/attribute_checks.h"
#include "grammar/pattern_builder.h"
#include "support/disjoint_sets.h"

namespace amdahlc::grammar {
namespace {

using ValueKind = ir::PatternValue::Kind;

/// Adds the conjuncts of a condition. One that a fragment repeats at each use is kept once.
void addConjuncts(ir::Expr condition, std::vector<ir::Expr>& into) {
  if (condition.kind == ir::Expr::Kind::And)
    for (ir::Expr& part : condition.args) addConjuncts(std::move(part), into);
  else if (std::ranges::find(into, condition) == into.end())
    into.push_back(std::move(condition));
}

}  // namespace

uint32_t PatternBuilder::canonical(uint32_t value) const {
  while (forward_[value] != value) value = forward_[value];
  return value;
}

/// Replaces aliases of defined values by the values.
void PatternBuilder::redirectAliases() {
  auto& values = pattern_.values;
  forward_.resize(values.size());
  std::iota(forward_.begin(), forward_.end(), 0u);
  for (uint32_t v = 0; v < values.size(); ++v) {
    if (values[v].kind != ValueKind::Defined || values[v].definitions.size() != 1 ||
        !values[v].definitions.front().alias)
      continue;
    const uint32_t to = canonical(values[v].definitions.front().index);
    if (to == v || values[to].kind != ValueKind::Defined) continue;
    forward_[v] = to;
    values[to].shared = values[to].shared || values[v].shared;
    if (values[to].name.empty()) values[to].name = values[v].name;
  }
  for (auto& value : values)
    for (auto& definition : value.definitions)
      if (definition.alias) definition.index = canonical(definition.index);
  for (auto& node : pattern_.nodes)
    for (auto& operand : node.operands) operand = canonical(operand);
}

void PatternBuilder::markReachable(std::vector<uint32_t> work, std::vector<bool>& values,
                                   std::vector<bool>& nodes) const {
  while (!work.empty()) {
    const uint32_t v = work.back();
    work.pop_back();
    if (values[v]) continue;
    values[v] = true;
    for (const auto& definition : pattern_.values[v].definitions) {
      if (definition.alias) {
        work.push_back(definition.index);
      } else if (!nodes[definition.index]) {
        nodes[definition.index] = true;
        for (const uint32_t operand : pattern_.nodes[definition.index].operands) work.push_back(operand);
        for (const uint32_t output : pattern_.nodes[definition.index].outputs)
          if (output != kNone) work.push_back(output);  // its other results are part of the match
      }
    }
  }
}

/// Whether all results are connected through bound values, so that a match of one finds the others.
bool PatternBuilder::resultsTouch(const std::vector<uint32_t>& results) const {
  DisjointSets sets(pattern_.values.size());
  auto join = [&](uint32_t a, uint32_t b) {
    for (const uint32_t v : {a, b})
      if (pattern_.values[v].kind == ValueKind::Any || pattern_.values[v].kind == ValueKind::Constant) return;
    sets.unite(a, b);
  };
  for (uint32_t v = 0; v < pattern_.values.size(); ++v) {
    for (const auto& definition : pattern_.values[v].definitions) {
      if (definition.alias) {
        join(v, definition.index);
        continue;
      }
      for (const uint32_t operand : pattern_.nodes[definition.index].operands) join(v, operand);
      for (const uint32_t output : pattern_.nodes[definition.index].outputs)
        if (output != kNone) join(v, output);
    }
  }
  return std::ranges::all_of(results, [&](uint32_t r) { return sets.find(r) == sets.find(results.front()); });
}

/// nullptr if operators that are not known may produce the value, or none, or if they are too many to look at.
const KnownAttributes* PatternBuilder::knownAttributes(uint32_t value) {
  constexpr size_t kMostValues = 64;
  const auto [at, isNew] = knownAttributes_.try_emplace(value);
  if (!isNew) return at->second ? &*at->second : nullptr;
  const ir::Producers producers = ir::producersOf(pattern_, value);
  if (producers.orNothing || producers.values > kMostValues) return nullptr;
  std::set<ir::OperatorName> operators;
  for (const uint32_t node : producers.nodes) {
    const std::vector<ir::OperatorName>& any = pattern_.nodes[node].operators.any;
    if (any.empty()) return nullptr;
    operators.insert(any.begin(), any.end());
  }
  at->second = attributesOf({{operators.begin(), operators.end()}, {}}, context_.schemas);
  return at->second ? &*at->second : nullptr;
}

/// Checks `attr(v, "name")` in a condition of `where` against the operators that produce `v`. `values` has the values
/// by their names in the pattern.
void PatternBuilder::checkAttributesOfValues(const ir::Expr& condition, const std::map<std::string, uint32_t>& values) {
  const FindAttribute find = [&](const ir::Expr& expr) -> std::optional<AttributeUse> {
    if (expr.kind != ir::Expr::Kind::Call || expr.text != "attr" || expr.args.size() != 2) return std::nullopt;
    const ir::Expr& name = expr.args[1];
    const auto value = values.find(expr.args[0].text);
    if (name.kind != ir::Expr::Kind::String || value == values.end()) return std::nullopt;
    const SourceRange inQuotes{name.range.buffer, name.range.begin + 1, name.range.end - 1};
    return AttributeUse{name.text, inQuotes, knownAttributes(value->second)};
  };
  context_.attributes.check(condition, find, context_.sources);
}

bool PatternBuilder::lowerConditions(const std::vector<bool>& used) {
  bool good = true;
  for (Condition& condition : conditions_) {
    const Scope& scope = *condition.scope;
    ValueNames names;
    std::map<std::string, uint32_t> values;
    for (const auto& [name, value] : scope.names) names.candidates.push_back(name);
    names.resolve = [&](const ir::Expr& name) -> std::optional<std::string> {
      const uint32_t value = canonical(scope.names.at(name.text));
      ir::PatternValue& bound = pattern_.values[value];
      if (!used[value]) {
        if (!unknownNames_.insert(name.text).second) return std::nullopt;
        auto report = context_.diagnostics.error(
            DiagId::AkpExpression, name.range,
            fmt::format("`{}` is not bound by the pattern, so it cannot be tested", name.text));
        if (const auto rest = scope.rest.find(name.text); rest != scope.rest.end())
          report.secondary(rest->second, "stands for any number of operands");
        return std::nullopt;
      }
      if (bound.name.empty()) bound.name = uniqueName(scope.prefix + name.text);
      values.emplace(bound.name, value);
      return bound.name;
    };
    if (expressions_.test(condition.expr, expression::Context::Where, &names)) {
      // A condition of a fragment is checked once, where the fragment is declared.
      if (scope.prefix.empty()) checkAttributesOfValues(condition.expr, values);
      addConjuncts(std::move(condition.expr), pattern_.where);
    } else {
      good = false;
    }
  }
  return good;
}

/// Removes what is not used from the pattern.
void PatternBuilder::compact(const std::vector<bool>& values, const std::vector<bool>& nodes) {
  const auto indicesOf = [](const std::vector<bool>& used) {
    std::vector<uint32_t> out(used.size(), kNone);
    uint32_t next = 0;
    for (size_t i = 0; i < used.size(); ++i)
      if (used[i]) out[i] = next++;
    return out;
  };
  const std::vector<uint32_t> valueIndex = indicesOf(values), nodeIndex = indicesOf(nodes);
  size_t next = 0;
  std::erase_if(pattern_.values, [&](const ir::PatternValue&) { return !values[next++]; });
  next = 0;
  std::erase_if(pattern_.nodes, [&](const ir::PatternNode&) { return !nodes[next++]; });
  for (ir::PatternValue& value : pattern_.values)
    for (auto& definition : value.definitions)
      definition.index = definition.alias ? valueIndex[definition.index] : nodeIndex[definition.index];
  for (ir::PatternNode& node : pattern_.nodes) {
    for (uint32_t& operand : node.operands) operand = valueIndex[operand];
    for (uint32_t& output : node.outputs)
      if (output != kNone) output = valueIndex[output];
  }
  for (uint32_t& result : pattern_.results) result = valueIndex[result];
  if (pattern_.anchor) pattern_.anchor = nodeIndex[*pattern_.anchor];
}

std::optional<ir::Pattern> PatternBuilder::finish(std::vector<uint32_t> results, const ast::Pattern& written,
                                                  const std::shared_ptr<Scope>& scope) {
  redirectAliases();
  bool good = true;
  for (uint32_t& result : results) result = canonical(result);
  for (size_t i = 0; i < results.size(); ++i) {
    const SourceRange range = written.results[i].range;
    if (pattern_.values[results[i]].kind != ValueKind::Defined)
      good = good && fail(DiagId::AkpPattern, range, "a result must be produced by an operator of the match");
    else if (ir::producersOf(pattern_, results[i]).orNothing)
      good = fail(DiagId::AkpPattern, range,
                  "this result can be bound without any operator; at least one operator must not be optional");
    else if (std::ranges::count(std::span(results).first(i), results[i]) != 0)
      good = fail(DiagId::AkpPattern, range, "the same result is listed twice");
  }
  if (!good) return std::nullopt;
  pattern_.results = results;
  std::vector<bool> values(pattern_.values.size()), nodes(pattern_.nodes.size());
  markReachable(results, values, nodes);
  if (!resultsTouch(results))
    good = fail(DiagId::AkpPattern, written.range,
                "the results share no operand, so a match of one cannot find the others; write a rule for each");
  // A definition refers to earlier ones only. What leads to one that no result depends on is no mistake of its own.
  std::vector<bool> explained = values, explainedNodes = nodes;
  std::vector<ast::Name> unused;
  for (const ast::Definition& definition : std::views::reverse(written.definitions)) {
    std::vector<uint32_t> targets;
    for (const ast::Name& target : definition.targets)
      if (const auto found = scope->names.find(target.text); found != scope->names.end())
        targets.push_back(canonical(found->second));
    if (targets.size() < definition.targets.size() ||
        std::ranges::any_of(targets, [&](uint32_t target) { return explained[target]; }))
      continue;
    unused.push_back(definition.targets.front());
    markReachable(std::move(targets), explained, explainedNodes);
  }
  for (const ast::Name& name : std::views::reverse(unused))
    good = fail(DiagId::AkpPattern, name.range, fmt::format("no result depends on `{}`", name.text));
  for (const ast::Parameter& parameter : written.parameters) {
    const auto found = scope->names.find(parameter.name.text);
    if (found == scope->names.end() || explained[found->second] || scope->rest.contains(parameter.name.text)) continue;
    context_.diagnostics.warning(DiagId::AkpUnused, parameter.name.range,
                                 fmt::format("input `{}` is never used", parameter.name.text));
  }
  if (written.anchor) {
    std::vector<uint32_t> producers;
    const auto value = named(written.anchor->text, written.anchor->range, *scope);
    if (value)
      for (const auto& definition : pattern_.values[canonical(*value)].definitions)
        if (!definition.alias) producers.push_back(definition.index);
    if (producers.size() == 1 && nodes[producers.front()])
      pattern_.anchor = producers.front();
    else
      good = value && fail(DiagId::AkpPattern, written.anchor->range,
                           fmt::format("`{}` is produced by {} operators of the pattern; an anchor has one",
                                       written.anchor->text, producers.size()));
  }
  good = lowerConditions(values) && good;
  if (!good) return std::nullopt;
  compact(values, nodes);
  return std::move(pattern_);
}

}  // namespace amdahlc::grammar

// Operators of a pattern: flattens classes, checks names and operand counts against ONNX's schemas.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "grammar/attribute_checks.h"
#include "grammar/pattern_builder.h"
#include "ir/domain.h"
#include "ir/text/rule_words.h"
#include "support/edit_distance.h"
#include "support/plural.h"

namespace amdahlc::grammar {
namespace {

constexpr uint32_t kUnbounded = std::numeric_limits<uint32_t>::max();

bool isWildcard(const ast::OperatorRef& ref) { return ref.type == "_" || ref.type == "*"; }

/// Where the type is written: behind the domain, if there is one. Without one, there may be parentheses around it.
SourceRange typeRange(const ast::OperatorRef& ref) {
  if (!ref.domain) return ref.range;
  const auto length = std::min(static_cast<uint32_t>(ref.type.size()), ref.range.end - ref.range.begin);
  return {ref.range.buffer, ref.range.end - length, ref.range.end};
}

/// Whether nothing else is written there, such as parentheses.
bool hasOnlyType(const ast::OperatorRef& ref) { return ref.range.end - ref.range.begin == ref.type.size(); }

void addUnique(std::vector<ir::OperatorName>& into, const ir::OperatorName& name) {
  if (std::ranges::find(into, name) == into.end()) into.push_back(name);
}

}  // namespace

std::vector<std::string> PatternBuilder::operatorsLike(const ast::OperatorRef& ref, const Scope& scope) const {
  std::vector<std::string> names = context_.schemas.typesOf(ref.domain.value_or(""));
  if (ref.domain) return names;
  for (const auto& [name, entry] : scope.file->classes) names.push_back(name);
  for (const auto& [name, entry] : scope.file->fragments) names.push_back(name);
  return names;
}

void PatternBuilder::warnUnknown(const ast::OperatorRef& ref, const std::string& domain, const Scope& scope) {
  if (depth_ != 0 || !context_.warnedOperators.insert({ref.range.buffer, {domain, ref.type}}).second) return;
  const std::vector<std::string> names = operatorsLike(ref, scope);
  const std::vector<std::string> elsewhere =
      ref.domain ? std::vector<std::string>{} : context_.schemas.elsewhere(ref.type);
  const std::string hint =
      elsewhere.empty() ? didYouMean(ref.type, names) : fmt::format("; did you mean `{}`?", elsewhere.front());
  if (hint.empty() && !ref.domain && file_.incomplete) return;
  auto report = context_.diagnostics.warning(
      DiagId::AkpUnknownOperator, ref.range,
      fmt::format("no schema of `{}` has an operator `{}`{}", ir::describeDomain(domain), ref.type, hint));
  if (elsewhere.empty())
    fixName(report, typeRange(ref), ref.type, names);
  else if (hasOnlyType(ref))
    report.fix(ref.range, elsewhere.front());
}

bool PatternBuilder::resolveOne(const ast::OperatorRef& ref, const Scope& scope, std::vector<ir::OperatorName>& into,
                                bool& views) {
  if (!ref.domain) {
    if (isWildcard(ref)) {
      views = false;
      addUnique(into, {"*", "*"});
      return true;
    }
    if (const auto named = scope.file->classes.find(ref.type); named != scope.file->classes.end()) {
      // Its declaration has an error.
      if (named->second->members.empty()) return false;
      for (const ir::OperatorName& member : named->second->members) addUnique(into, member);
      views = views && named->second->views;
      return true;
    }
    if (scope.file->fragments.contains(ref.type)) {
      context_.diagnostics.error(
          DiagId::AkpFragment, ref.range,
          fmt::format("`{}` is a fragment; fragments can be alternatives as terms, as in `({}(x) | Relu(x))`", ref.type,
                      ref.type));
      return false;
    }
  }
  views = false;
  const std::string domain = ref.domain.value_or("");
  if (ref.domain == "*" || isWildcard(ref)) {
    addUnique(into, {domain, isWildcard(ref) ? "*" : ref.type});
    return true;
  }
  const OperatorSchema* info = context_.schemas.find(domain, ref.type);
  if (info == nullptr && !ref.domain && std::islower(static_cast<unsigned char>(ref.type.front())) != 0) {
    // ONNX operators begin with a capital, so this name is probably a class or a fragment.
    const std::vector<std::string> names = operatorsLike(ref, scope);
    // A declaration with a syntax error may have had this name.
    if (!file_.incomplete || closestName(ref.type, names))
      unknownName(context_.diagnostics, ref.range,
                  fmt::format("no operator, class or fragment is named `{}`", ref.type), ref.type, names);
    return false;
  }
  if (info == nullptr && context_.schemas.knowsDomain(domain)) warnUnknown(ref, domain, scope);
  if (info != nullptr && info->hasSchema && depth_ == 0) {
    for (const auto& [known, version] : context_.opsets) {
      if (known != domain || (info->since <= version && (info->removed == 0 || version < info->removed))) continue;
      if (!context_.warnedOperators.insert({ref.range.buffer, {domain, ref.type}}).second) continue;
      context_.diagnostics.warning(
          DiagId::AkpUnknownOperator, ref.range,
          info->since > version
              ? fmt::format("`{}` is not in opset {}; it was added in {}", ref.type, version, info->since)
              : fmt::format("`{}` is not in opset {}; it was removed in {}", ref.type, version, info->removed));
    }
  }
  addUnique(into, {domain, ref.type});
  return true;
}

bool PatternBuilder::flatten(const std::vector<ast::OperatorRef>& names, std::vector<ir::OperatorName>& into,
                             bool& views) {
  Scope scope;
  scope.file = &file_;
  bool good = true;
  for (const ast::OperatorRef& ref : names) good = resolveOne(ref, scope, into, views) && good;
  return good;
}

std::optional<PatternBuilder::Operators> PatternBuilder::resolve(const ast::OperatorChoice& choice,
                                                                 const Scope& scope) {
  Operators out;
  out.views = !choice.any.empty();
  bool good = true;
  bool ignored = false;
  for (const ast::OperatorRef& ref : choice.any) good = resolveOne(ref, scope, out.set.any, out.views) && good;
  for (const ast::OperatorRef& ref : choice.none) good = resolveOne(ref, scope, out.set.none, ignored) && good;
  if (!good) return std::nullopt;
  std::erase_if(out.set.any, [&](const ir::OperatorName& name) {
    return std::ranges::find(out.set.none, name) != out.set.none.end();
  });
  out.wild =
      std::ranges::any_of(out.set.any, [](const auto& name) { return name.type == "*" || name.domain == "*"; }) ||
      out.set.any.empty();
  if (out.set.any.empty() && !choice.any.empty())
    return refuse(DiagId::AkpPattern, choice.range, "no operator is left; each one named is also excluded");
  return out;
}

/// Warns if no named operator can have this number of operands or results.
void PatternBuilder::checkAgainstSchemas(const ast::Term& term, const Operators& operators, size_t operands, bool more,
                                         size_t outputs) {
  if (operators.wild || depth_ != 0) return;
  uint32_t min = kUnbounded, max = 0, results = 0;
  for (const ir::OperatorName& name : operators.set.any) {
    const OperatorSchema* info = context_.schemas.find(name.domain, name.type);
    if (info == nullptr || !info->hasSchema) return;
    min = std::min(min, info->minOperands);
    max = std::max(max, info->maxOperands);
    results = std::max(results, info->maxResults);
  }
  // Captured operands may be absent, so a pattern may name more operands than needed, but not fewer than the minimum.
  const std::string name = ir::describe(operators.set);
  if (operands > max)
    context_.diagnostics.warning(DiagId::AkpNeverMatches, term.range,
                                 fmt::format("never matches: {} takes at most {}, the pattern gives {}", name,
                                             plural(max, "operand"), operands));
  else if (operands < min && !more)
    context_.diagnostics.warning(
        DiagId::AkpNeverMatches, term.range,
        fmt::format("never matches: {} takes {}{} operands, the pattern gives {}; write `...` for the others", name,
                    min == max ? "" : "at least ", min, operands));
  if (outputs > results)
    context_.diagnostics.warning(DiagId::AkpNeverMatches, term.range,
                                 fmt::format("never matches: {} has at most {}, the pattern names {}", name,
                                             plural(results, "result"), outputs));
}

bool PatternBuilder::lowerAttributes(const ast::Term& term, const Operators& operators, std::vector<ir::Expr>& into) {
  // A fragment is checked once, where it is declared.
  const auto known = depth_ != 0 ? std::nullopt : attributesOf(operators.set, context_.schemas);
  const FindAttribute find = [&](const ir::Expr& expr) { return attributeNamed(expr, &*known); };
  bool good = true;
  for (ir::Expr test : term.attributes) {
    if (!expressions_.test(test, expression::Context::Attribute)) {
      good = false;
      continue;
    }
    if (known) context_.attributes.check(test, find, context_.sources);
    into.push_back(std::move(test));
  }
  return good;
}

}  // namespace amdahlc::grammar

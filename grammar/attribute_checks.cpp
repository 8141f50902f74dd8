#include "grammar/attribute_checks.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "grammar/pattern_builder.h"
#include "ir/text/rule_words.h"
#include "ir/type.h"
#include "support/edit_distance.h"
#include "support/printable.h"

namespace amdahlc::grammar {
namespace {

using ir::onnx_schemas::AttributeKind;
using Kind = ir::Expr::Kind;

/// What an attribute is and may be compared with, and an example of that. In the order of `AttributeKind`, of which
/// `Other` has none.
struct Holds {
  std::string_view kind, example;
};
constexpr Holds kHolds[] = {{"an integer", "1"}, {"a number", "0.5"}, {"a string", "\"text\""}, {"a list", "[0, 1]"}};
static_assert(std::size(kHolds) == static_cast<size_t>(AttributeKind::Other));

/// What a literal is that such an attribute never holds; empty for one that it may hold, and for what is no literal.
std::string_view whyNever(AttributeKind kind, const ir::Expr& expr) {
  const bool isNumber = kind == AttributeKind::Integer || kind == AttributeKind::Float;
  switch (expr.kind) {
    case Kind::String:
    case Kind::Regex:
      return kind == AttributeKind::String ? "" : "a string";
    case Kind::Int:
      return isNumber ? "" : "a number";
    case Kind::Float:
      if (kind == AttributeKind::Integer) return expr.real != std::trunc(expr.real) ? "a fraction" : "";
      return isNumber ? "" : "a number";
    case Kind::Call:
      return expr.text != ir::kListConstructor ? "" : kind == AttributeKind::List ? "" : "a list";
    default:
      return "";
  }
}

}  // namespace

std::optional<KnownAttributes> attributesOf(const ir::OperatorSet& operators, const OperatorSchemas& schemas) {
  KnownAttributes out;
  if (operators.any.empty()) return std::nullopt;
  for (const ir::OperatorName& name : operators.any) {
    const OperatorSchema* schema = schemas.find(name.domain, name.type);
    if (schema == nullptr || !schema->hasSchema) return std::nullopt;
    for (const auto& [attribute, kind] : schema->attributes) {
      const auto [at, isNew] = out.attributes.try_emplace(attribute, kind, ir::OperatorSet{});
      if (at->second.kind != kind) at->second.kind = AttributeKind::Other;
      at->second.operators.any.push_back(name);
    }
  }
  out.operators = ir::describe(operators);
  return out;
}

std::optional<AttributeUse> attributeNamed(const ir::Expr& expr, const KnownAttributes* known) {
  // A name of an element type denotes that type, as in `to == float16`.
  if (expr.kind != Kind::Name || ir::elementTypeFromName(expr.text)) return std::nullopt;
  return AttributeUse{expr.text, expr.range, known};
}

void AttributeChecks::check(const ir::Expr& test, const FindAttribute& find, const SourceManager& sources) {
  if (const auto use = find(test)) return checkName(*use);
  if (test.kind == Kind::Eq || test.kind == Kind::Ne || test.kind == Kind::In) {
    const auto first = find(test.args.front());
    for (size_t i = 1; i < test.args.size(); ++i) {
      if (first) checkComparison(test.args.front(), *first, test.args[i], sources);
      if (const auto other = find(test.args[i])) checkComparison(test.args[i], *other, test.args.front(), sources);
    }
  }
  for (const ir::Expr& arg : test.args) check(arg, find, sources);
}

void AttributeChecks::checkName(const AttributeUse& use) {
  Finding& finding = findings_[{use.range.buffer, use.range.begin, use.range.end, DiagId::AkpUnknownAttribute}];
  ++finding.checked;
  if (use.known == nullptr || use.known->attributes.contains(use.name) || finding.wrong++ != 0) return;
  for (const auto& [name, attribute] : use.known->attributes) finding.known.push_back(name);
  finding.name = use.name;
  finding.message = fmt::format("no version of {} has an attribute `{}`{}", use.known->operators, use.name,
                                didYouMean(use.name, finding.known));
}

void AttributeChecks::checkComparison(const ir::Expr& tested, const AttributeUse& use, const ir::Expr& literal,
                                      const SourceManager& sources) {
  const SourceRange at = literal.range;
  Finding& finding = findings_[{at.buffer, at.begin, at.end, DiagId::AkpNeverMatches}];
  ++finding.checked;
  if (use.known == nullptr) return;
  const auto attribute = use.known->attributes.find(use.name);
  if (attribute == use.known->attributes.end() || attribute->second.kind == AttributeKind::Other) return;
  const std::string_view found = whyNever(attribute->second.kind, literal);
  if (found.empty() || finding.wrong++ != 0) return;
  const Holds& holds = kHolds[static_cast<size_t>(attribute->second.kind)];
  const std::string_view written =
      sources.text(tested.range.buffer).substr(tested.range.begin, tested.range.end - tested.range.begin);
  finding.message = fmt::format("`{}` of {} is {}, and is compared with {}", use.name,
                                ir::describe(attribute->second.operators), holds.kind, found);
  finding.note =
      fmt::format("the two are never equal; write {}, as in `{} == {}`", holds.kind, printable(written), holds.example);
}

void AttributeChecks::report(DiagnosticEngine& diagnostics) {
  for (const auto& [key, finding] : std::exchange(findings_, {})) {
    if (finding.wrong != finding.checked) continue;
    const auto& [buffer, begin, end, id] = key;
    auto report = diagnostics.warning(id, SourceRange{buffer, begin, end}, finding.message);
    if (!finding.note.empty()) report.note(finding.note);
    if (!finding.name.empty()) fixName(report, {buffer, begin, end}, finding.name, finding.known);
  }
}

}  // namespace amdahlc::grammar

#include "grammar/attribute_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/nearest_name.h"
#include "grammar/pattern_builder.h"
#include "ir/type.h"
#include "support/edit_distance.h"

namespace amdahlc::grammar {
namespace {

using ir::onnx_schemas::AttributeKind;
using Kind = ir::Expr::Kind;

/// What an attribute is, what it may be compared with, and an example of that.
struct Holds {
  std::string_view kind, fits, example;
};
Holds holdsWhat(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::Integer:
      return {"an integer", "a number", "1"};
    case AttributeKind::Float:
      return {"a number", "a number", "0.5"};
    case AttributeKind::String:
      return {"a string", "a string", "\"text\""};
    default:
      return {"a list", "a list", "[0, 1]"};
  }
}

/// In the words of `Holds::fits`; empty for what has no fixed kind.
std::string_view literalKind(const ir::Expr& expr) {
  switch (expr.kind) {
    case Kind::String:
    case Kind::Regex:
      return "a string";
    case Kind::Int:
    case Kind::Float:
      return "a number";
    case Kind::Call:
      return expr.text == ir::kListConstructor ? "a list" : "";
    default:
      return "";
  }
}

class AttributeChecker {
 public:
  AttributeChecker(const FindAttribute& find, DiagnosticEngine& diagnostics) : find_(find), diagnostics_(diagnostics) {}

  void check(const ir::Expr& expr) {
    if (const auto use = find_(expr)) warnUnknown(*use);
    if (expr.kind == Kind::Eq || expr.kind == Kind::Ne || expr.kind == Kind::In)
      for (const ir::Expr& tested : expr.args)
        if (const auto use = find_(tested)) warnCompared(*use, expr);
    for (const ir::Expr& arg : expr.args) check(arg);
  }

 private:
  void warnUnknown(const AttributeUse& use) {
    if (use.known.kinds.contains(use.name) || !reported_.emplace(use.known.operators, use.name).second) return;
    std::vector<std::string> names;
    for (const auto& [name, kind] : use.known.kinds) names.push_back(name);
    auto report = diagnostics_.warning(DiagId::AkpUnknownAttribute, use.range,
                                       fmt::format("no version of {} has an attribute `{}`{}", use.known.operators,
                                                   use.name, didYouMean(use.name, names)));
    fixName(report, use.range, use.name, names);
  }

  void warnCompared(const AttributeUse& use, const ir::Expr& comparison) {
    const auto kind = use.known.kinds.find(use.name);
    if (kind == use.known.kinds.end() || kind->second == AttributeKind::Other) return;
    const Holds holds = holdsWhat(kind->second);
    for (const ir::Expr& literal : comparison.args) {
      const std::string_view found = literalKind(literal);
      if (found.empty() || found == holds.fits) continue;
      diagnostics_
          .warning(DiagId::AkpNeverMatches, literal.range,
                   fmt::format("`{}` of {} is {}, and is compared with {}", use.name, use.known.operators, holds.kind,
                               found))
          .note(fmt::format("the two are never equal; write {}, as in `{} == {}`", holds.fits, use.written,
                            holds.example));
    }
  }

  const FindAttribute& find_;
  DiagnosticEngine& diagnostics_;
  std::set<std::pair<std::string, std::string>> reported_;
};

}  // namespace

std::optional<KnownAttributes> attributesOf(const ir::OperatorSet& operators, const OperatorSchemas& schemas) {
  KnownAttributes out;
  if (operators.any.empty()) return std::nullopt;
  for (const ir::OperatorName& name : operators.any) {
    const OperatorSchema* schema = schemas.find(name.domain, name.type);
    if (schema == nullptr || !schema->hasSchema) return std::nullopt;
    for (const auto& [attribute, kind] : schema->attributes)
      if (const auto [at, isNew] = out.kinds.emplace(attribute, kind); !isNew && at->second != kind)
        at->second = AttributeKind::Other;
  }
  out.operators = describe(operators);
  return out;
}

std::optional<AttributeUse> attributeNamed(const ir::Expr& expr, const KnownAttributes& known) {
  // A name of an element type denotes that type, as in `to == float16`.
  if (expr.kind != Kind::Name || ir::elementTypeFromName(expr.text)) return std::nullopt;
  return AttributeUse{expr.text, expr.range, expr.text, known};
}

void checkAttributes(const ir::Expr& test, const FindAttribute& find, DiagnosticEngine& diagnostics) {
  AttributeChecker(find, diagnostics).check(test);
}

}  // namespace amdahlc::grammar

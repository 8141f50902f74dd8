#include "grammar/lowering_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "grammar/expressions.h"
#include "ir/domain.h"
#include "ir/text/rule_words.h"
#include "support/edit_distance.h"
#include "support/limits.h"
#include "support/plural.h"

namespace amdahlc::grammar {
namespace {

using TermKind = ast::Term::Kind;
using ParameterKind = ir::Lowering::Parameter::Kind;
using OperandKind = ir::Lowering::Operand::Kind;

class LoweringBuilder {
 public:
  LoweringBuilder(const ast::Declaration& written, const FileScope& file, CheckContext& context)
      : written_(written),
        file_(file),
        context_(context),
        diagnostics_(context.diagnostics),
        expressions_(context.regexes, context.sources, context.diagnostics) {}

  std::optional<ir::Lowering> build() {
    out_.range = written_.name.range;
    addCalls();
    addParameters();
    const ast::Pattern& body = written_.pattern;
    const auto refuse = [&](SourceRange range, std::string_view what) {
      fail(DiagId::AkpPattern, range, fmt::format("`{}` belongs in a match, not in a lowering", what));
    };
    if (!body.shared.empty()) refuse(body.shared.front().range, "shared");
    if (body.anchor) refuse(body.anchor->range, "anchor");
    if (!body.where.empty()) refuse(body.where.front().range, "where");
    for (const ast::Definition& definition : body.definitions) define(definition);
    if (body.results.size() == 1)
      addResult(body.results.front());
    else
      fail(DiagId::AkpPattern, body.results[1].range,
           "a lowering ends in one operator, whose results are those of the call");
    addAttributes();
    for (const auto& [name, value] : values_)
      if (!value.used && !name.empty() && good_) reportUnused(name, value);
    return good_ ? std::optional(std::move(out_)) : std::nullopt;
  }

 private:
  struct Value {
    ir::Lowering::Operand operand;
    SourceRange range;
    /// `name...`.
    bool rest = false;
    /// Its definition has an error.
    bool broken = false;
    bool used = false;
    /// An operand of an operator.
    bool isOperand = false;
  };

  /// The attributes of an operator, which are read when it is known which arguments are operands.
  struct WrittenAttributes {
    uint32_t op = 0;
    const ast::Term* term = nullptr;
  };

  bool fail(DiagId id, SourceRange range, std::string message) {
    diagnostics_.error(id, range, std::move(message));
    return good_ = false;
  }

  void reportUnused(const std::string& name, const Value& value) {
    if (value.operand.kind == OperandKind::Result)
      fail(DiagId::AkpPattern, value.range, fmt::format("the result does not depend on `{}`", name));
    else
      diagnostics_.warning(
          DiagId::AkpUnused, value.range,
          fmt::format("argument `{}` is never used; `{}` stands for any", name, value.rest ? "..." : "_"));
  }

  void addCalls() {
    for (const ast::Name& call : written_.calls)
      if (call.text.empty())
        fail(DiagId::AkpPattern, call.range, "the name of a call is empty");
      else if (std::ranges::find(out_.calls, call.text) != out_.calls.end())
        fail(DiagId::AkpDuplicate, call.range, fmt::format("`{}` is named twice", call.text));
      else
        out_.calls.push_back(call.text);
  }

  void declare(const ast::Name& name, Value value) {
    value.range = name.range;
    const auto [first, isNew] = values_.emplace(name.text, value);
    if (isNew) return;
    diagnostics_.error(DiagId::AkpDuplicate, name.range, fmt::format("`{}` is defined twice", name.text))
        .secondary(first->second.range, "first here");
    good_ = false;
  }

  void addParameters() {
    const auto& parameters = written_.pattern.parameters;
    for (size_t i = 0; i < parameters.size(); ++i) {
      const ast::Parameter& one = parameters[i];
      const bool isAny = one.name.text == "_";
      if (one.rest) {
        if (out_.moreTensors) fail(DiagId::AkpPattern, one.name.range, "`...` is written twice");
        if (one.constant) fail(DiagId::AkpPattern, one.name.range, "`const` is one argument; further ones are tensors");
        out_.moreTensors = true;
        Value value;
        value.rest = true;
        if (!one.name.text.empty() && !isAny) declare(one.name, value);
        continue;
      }
      if (isAny && (one.constant || one.optional))
        fail(DiagId::AkpPattern, one.name.range, "`_` is any argument, also none; it is neither `const` nor optional");
      ir::Lowering::Parameter& made = out_.parameters.emplace_back();
      made.behindMore = out_.moreTensors;
      if (isAny) continue;
      made.kind = one.constant ? ParameterKind::Constant : ParameterKind::Tensor;
      made.optional = one.optional;
      made.name = one.name.text;
      Value value;
      value.operand.index = static_cast<uint32_t>(out_.parameters.size() - 1);
      declare(one.name, value);
    }
  }

  /// Arguments that attributes read are numbers, texts or lists, unless they are operands.
  void addAttributes() {
    ValueNames arguments;
    arguments.resolve = [&](const ir::Expr& name) {
      Value& value = values_.at(name.text);
      value.used = true;
      if (!value.isOperand) {
        ir::Lowering::Parameter& parameter = out_.parameters[value.operand.index];
        if (parameter.kind == ParameterKind::Constant)
          fail(DiagId::AkpPattern, value.range, fmt::format("`const {}` is no operand; leave out `const`", name.text));
        parameter.kind = ParameterKind::Value;
      }
      return std::optional(name.text);
    };
    arguments.isTensor = [&](const std::string& name) { return values_.at(name).isOperand; };
    for (const auto& [name, value] : values_)
      if (value.operand.kind == OperandKind::Argument && !value.rest) arguments.candidates.push_back(name);
    for (const WrittenAttributes& each : attributes_)
      for (const ir::Expr& written : each.term->attributes) addAttribute(each, written, arguments);
    for (const ir::Lowering::Parameter& one : out_.parameters)
      if (one.behindMore && one.kind != ParameterKind::Value && one.kind != ParameterKind::Any && good_)
        fail(DiagId::AkpPattern, values_.at(one.name).range,
             "`...` stands for all further tensors; only values of attributes can follow it");
  }

  void addAttribute(const WrittenAttributes& of, const ir::Expr& written, const ValueNames& arguments) {
    ir::Lowering::Operator& op = out_.ops[of.op];
    const std::string name = ir::describe({{op.name}, {}});
    if (written.kind != ir::Expr::Kind::Eq || written.args.front().kind != ir::Expr::Kind::Name) {
      fail(DiagId::AkpPattern, written.range, "an attribute of a lowering has a value, as in `{ axis = dim }`");
      return;
    }
    const ir::Expr& attribute = written.args.front();
    const OperatorSchema* schema = context_.schemas.find(op.name.domain, op.name.type);
    if (schema != nullptr && schema->hasSchema && !schema->attributes.contains(attribute.text)) {
      std::vector<std::string> known;
      for (const auto& [one, kind] : schema->attributes) known.push_back(one);
      unknownName(diagnostics_, attribute.range, fmt::format("{} has no attribute `{}`", name, attribute.text),
                  attribute.text, known);
      good_ = false;
      return;
    }
    if (std::ranges::find(op.attributes, attribute.text, &ir::Lowering::Attribute::name) != op.attributes.end()) {
      fail(DiagId::AkpDuplicate, attribute.range, fmt::format("attribute `{}` is given twice", attribute.text));
      return;
    }
    ir::Expr value = written.args[1];
    if (expressions_.attributeValue(value, arguments))
      op.attributes.push_back({attribute.text, std::move(value)});
    else
      good_ = false;
  }

  void define(const ast::Definition& definition) {
    if (definition.targets.size() != 1) {
      fail(DiagId::AkpPattern, definition.targets[1].range, "only the first result of an operator can be named");
      return;
    }
    Value value;
    if (const auto made = operatorOf(definition.term, false))
      value.operand = {OperandKind::Result, *made};
    else
      value.broken = true;
    declare(definition.targets.front(), value);
  }

  /// The last operator gives the result.
  void addResult(const ast::Term& result) {
    if (result.kind == TermKind::Value && !result.optional)
      if (const auto found = values_.find(result.name.text); found != values_.end()) {
        found->second.used = true;
        if (found->second.broken) return;
        if (found->second.operand.kind == OperandKind::Argument) {
          fail(DiagId::AkpPattern, result.range,
               fmt::format("a result must be that of an operator; write `Identity({})`", result.name.text));
          return;
        }
        if (found->second.operand.index + 1 == out_.ops.size()) return;
        fail(DiagId::AkpPattern, result.range,
             fmt::format("`{}` is not defined last, but the last operator gives the result", result.name.text));
        return;
      }
    operatorOf(result, true);
  }

  /// The operator that a term adds.
  std::optional<uint32_t> operatorOf(const ast::Term& term, bool isResult) {
    if (term.kind != TermKind::Call) {
      refuse(term);
      return std::nullopt;
    }
    const auto& named = term.operators;
    if (named.any.size() != 1 || !named.none.empty() || named.any.front().type == "_" ||
        named.any.front().type == "*" || named.any.front().domain == "*") {
      fail(DiagId::AkpPattern, term.range, "a lowering names one operator, without alternatives");
      return std::nullopt;
    }
    if (term.counted || term.optional) {
      fail(DiagId::AkpPattern, term.range,
           fmt::format("an operator of a lowering takes no {}", term.counted ? "count" : "`?`"));
      return std::nullopt;
    }
    ir::Lowering::Operator made;
    const OperatorSchema* schema = nullptr;
    bool good = resolve(named.any.front(), made.name, schema);
    bool passes = false;
    for (const ast::Term& each : term.terms) good = addOperand(each, isResult, made, passes) && good;
    if (!good) return std::nullopt;
    if (schema != nullptr && schema->hasSchema && !checkCount(term, made, *schema, passes)) return std::nullopt;
    if (out_.ops.size() == limits::kPatternOperators) {
      fail(DiagId::AkpTooLarge, term.range,
           fmt::format("a lowering has more than {} operators", limits::kPatternOperators));
      return std::nullopt;
    }
    out_.ops.push_back(std::move(made));
    attributes_.push_back({static_cast<uint32_t>(out_.ops.size() - 1), &term});
    return attributes_.back().op;
  }

  bool refuse(const ast::Term& term) {
    switch (term.kind) {
      case TermKind::Constant:
        return fail(DiagId::AkpPattern, term.range,
                    "a lowering adds no constants; `const x` among the arguments is one of the call");
      case TermKind::Any:
      case TermKind::Omitted:
        return fail(DiagId::AkpPattern, term.range,
                    "an operand has a name; write `x?` among the arguments if it may be absent");
      case TermKind::Value:
        if (context_.schemas.find("", term.name.text) != nullptr)
          return fail(DiagId::AkpPattern, term.range,
                      fmt::format("`{0}` needs its operands, as in `{0}(x)`", term.name.text));
        [[fallthrough]];
      default:
        return fail(DiagId::AkpPattern, term.range, "expected an operator with its operands");
    }
  }

  bool resolve(const ast::OperatorRef& ref, ir::OperatorName& into, const OperatorSchema*& schema) {
    const std::string domain = ref.domain.value_or("");
    into = {domain, ref.type};
    if (!ref.domain && (file_.classes.contains(ref.type) || file_.fragments.contains(ref.type)))
      return fail(DiagId::AkpPattern, ref.range,
                  fmt::format("`{}` is a {}; a lowering names operators", ref.type,
                              file_.classes.contains(ref.type) ? "class" : "fragment"));
    schema = context_.schemas.find(domain, ref.type);
    if (schema != nullptr || !context_.schemas.knowsDomain(domain)) return true;
    unknownName(diagnostics_, ref.range,
                fmt::format("no schema of `{}` has an operator `{}`", ir::describeDomain(domain), ref.type), ref.type,
                context_.schemas.typesOf(domain));
    return good_ = false;
  }

  bool addOperand(const ast::Term& term, bool isResult, ir::Lowering::Operator& into, bool& passes) {
    if (term.kind == TermKind::Call) {
      const auto made = operatorOf(term, false);
      if (made) into.operands.push_back({OperandKind::Result, *made});
      return made.has_value();
    }
    if (term.kind == TermKind::Rest) return passRest(term, isResult, passes);
    if (term.kind != TermKind::Value) return refuse(term);
    Value* value = find(term.name);
    if (value == nullptr || value->broken) return false;
    value->used = value->isOperand = true;
    if (value->rest)
      return fail(DiagId::AkpPattern, term.range,
                  fmt::format("`{0}` is several arguments; write `{0}...`", term.name.text));
    if (term.optional)
      return fail(
          DiagId::AkpPattern, term.range,
          fmt::format("write `{}?` among the arguments; an operand is absent where its argument is", term.name.text));
    into.operands.push_back(value->operand);
    return true;
  }

  bool passRest(const ast::Term& term, bool isResult, bool& passes) {
    if (term.name.text.empty())
      return fail(DiagId::AkpPattern, term.range, "name the further arguments, as in `(xs...) -> Concat(xs...)`");
    Value* value = find(term.name);
    if (value == nullptr || value->broken) return false;
    value->used = true;
    if (!value->rest) return fail(DiagId::AkpPattern, term.range, fmt::format("`{}` is one argument", term.name.text));
    if (!isResult)
      return fail(DiagId::AkpPattern, term.range,
                  fmt::format("`{}...` can only be operands of the operator that gives the result", term.name.text));
    return passes = out_.passesMore = true;
  }

  Value* find(const ast::Name& name) {
    if (const auto found = values_.find(name.text); found != values_.end()) return &found->second;
    std::vector<std::string> known;
    for (const auto& [key, value] : values_) known.push_back(key);
    unknownName(diagnostics_, name.range, fmt::format("unknown value `{}`", name.text), name.text, known);
    good_ = false;
    return nullptr;
  }

  bool checkCount(const ast::Term& term, const ir::Lowering::Operator& made, const OperatorSchema& schema,
                  bool passes) {
    const size_t count = made.operands.size();
    if (count > schema.maxOperands || (count < schema.minOperands && !passes))
      return fail(
          DiagId::AkpPattern, term.range,
          fmt::format("{} takes {} {}, {} given", ir::describe({{made.name}, {}}),
                      count > schema.maxOperands ? "at most" : "at least",
                      plural(count > schema.maxOperands ? schema.maxOperands : schema.minOperands, "operand"), count));
    for (size_t i = 0; i < std::min<size_t>(count, schema.minOperands); ++i) {
      const ir::Lowering::Operand& operand = made.operands[i];
      if (operand.kind == OperandKind::Argument && out_.parameters[operand.index].optional)
        return fail(DiagId::AkpPattern, term.terms[i].range,
                    fmt::format("{} needs this operand, but `{}` is optional", ir::describe({{made.name}, {}}),
                                out_.parameters[operand.index].name));
    }
    return true;
  }

  const ast::Declaration& written_;
  const FileScope& file_;
  CheckContext& context_;
  DiagnosticEngine& diagnostics_;
  ir::Lowering out_;
  std::map<std::string, Value> values_;
  std::vector<WrittenAttributes> attributes_;
  ExpressionChecker expressions_;
  bool good_ = true;
};

/// Equal for lowerings that fit the same arguments on the same targets.
std::string signatureOf(const ir::Lowering& lowering) {
  std::string out;
  for (const ir::Lowering::Parameter& one : lowering.parameters)
    out += fmt::format("{}{}{} ", static_cast<int>(one.kind), one.optional ? "?" : "", one.behindMore ? "." : "");
  if (lowering.moreTensors) out += "...";
  for (const auto& names : {lowering.where.runtimes, lowering.where.vendors, lowering.where.archs})
    out += fmt::format("; {}", fmt::join(names, ", "));
  return out;
}

}  // namespace

std::optional<ir::Lowering> buildLowering(const ast::Declaration& written, const FileScope& file,
                                          CheckContext& context) {
  return LoweringBuilder(written, file, context).build();
}

void reportRepeated(const std::vector<ir::Lowering>& lowerings, DiagnosticEngine& diagnostics) {
  std::map<std::pair<std::string_view, std::string>, const ir::Lowering*> seen;
  for (const ir::Lowering& lowering : lowerings) {
    const std::string signature = signatureOf(lowering);
    for (const std::string& call : lowering.calls) {
      const auto [first, isNew] = seen.try_emplace({call, signature}, &lowering);
      if (isNew) continue;
      diagnostics
          .error(DiagId::AkpDuplicate, lowering.range,
                 fmt::format("calls of `{}` with these arguments are lowered twice", call))
          .secondary(first->second->range, "first here");
    }
  }
}

}  // namespace amdahlc::grammar

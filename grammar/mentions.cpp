#include "grammar/mentions.h"

#include <map>
#include <set>

#include "grammar/operator_schemas.h"
#include "grammar/parse.h"
#include "ir/type.h"

namespace amdahlc::grammar {
namespace {

using Of = Mention::Of;
using expression::Context;

class MentionFinder {
 public:
  MentionFinder(const OpenedRules& rules, size_t file, const SourceManager& sources)
      : rules_(rules), file_(rules.files[file]), scope_(rules.checked.scopes[file]), sources_(sources) {
    noteRules(file);
  }

  std::vector<Mention> run() {
    for (const ast::Declaration& declaration : file_.tree.declarations) inDeclaration(declaration);
    if (file_.tree.hasSyntaxErrors) inDamagedText();
    std::vector<Mention> out;
    for (auto& [begin, mention] : found_) out.push_back(std::move(mention));
    return out;
  }

 private:
  /// The rules that this file or one of its imports declares.
  void noteRules(size_t file) {
    if (!seen_.insert(file).second) return;
    for (const Import& import : rules_.files[file].imports) noteRules(import.file);
    for (const ast::Declaration& one : rules_.files[file].tree.declarationsOf(ast::Declaration::Kind::Kernel))
      ruleNames_.emplace(one.name.text, one.name.range);
  }

  void add(Of of, SourceRange range, std::string name, std::optional<SourceRange> declaration = std::nullopt,
           std::vector<ir::OperatorName> operators = {}, const expression::Function* function = nullptr) {
    // A condition of several matches is about the last one, which is next to it.
    if (range.begin < range.end)
      found_[range.begin] = {of, range, std::move(name), declaration, std::move(operators), function};
  }

  /// A declaration has empty parts of the other kinds.
  void inDeclaration(const ast::Declaration& declaration) {
    for (const Import& import : file_.imports)
      if (import.range.begin == declaration.name.range.begin)
        add(Of::File, import.range, declaration.name.text, SourceRange{rules_.files[import.file].buffer, 0, 0});
    using Kind = ast::Declaration::Kind;
    if (declaration.kind == Kind::Class || declaration.kind == Kind::Fragment) classOrFragment(declaration.name);
    if (declaration.kind == Kind::Kernel || declaration.kind == Kind::Refine) rule(declaration.name);
    operators(declaration.operators);
    for (const ast::Name& name : declaration.disabled) rule(name);
    isLowering_ = declaration.kind == Kind::Lower;
    inPattern(declaration.pattern);
    for (const ast::Pattern& match : declaration.body.matches) inPattern(match);
    for (const ast::Launch& launch : declaration.body.launches)
      for (const ir::KernelStep& step : launch.sequence.steps) inExpression(step.test, Context::Kernel, nullptr, {});
  }

  void rule(const ast::Name& name) {
    const auto found = ruleNames_.find(name.text);
    add(Of::Rule, name.range, name.text,
        found == ruleNames_.end() ? std::nullopt : std::optional<SourceRange>(found->second));
  }

  /// False if the file declares or imports none of this name.
  bool classOrFragment(const ast::Name& name) {
    if (const auto found = scope_.fragments.find(name.text); found != scope_.fragments.end()) {
      add(Of::Fragment, name.range, name.text, found->second->declaration->name.range);
      return true;
    }
    const auto found = scope_.classes.find(name.text);
    if (found == scope_.classes.end()) return false;
    add(Of::Class, name.range, name.text, found->second->declaration->name.range, found->second->members);
    return true;
  }

  /// What a name stands for where an operator is expected.
  void operatorLike(const ast::OperatorRef& ref) {
    if (ref.type == "*" || ref.type == "_") return;
    if (!ref.domain && classOrFragment({ref.type, ref.range})) return;
    std::vector<ir::OperatorName> named = operatorsNamed(ref);
    if (!named.empty()) add(Of::Operator, ref.range, ref.type, std::nullopt, std::move(named));
  }

  std::vector<ir::OperatorName> operatorsNamed(const ast::OperatorRef& ref) const {
    std::vector<ir::OperatorName> named;
    const std::string domain = ref.domain.value_or("");
    if (domain != "*") {
      if (schemas_.find(domain, ref.type) != nullptr) named.push_back({domain, ref.type});
      return named;
    }
    if (schemas_.find("", ref.type) != nullptr) named.push_back({"", ref.type});
    for (const std::string& other : schemas_.elsewhere(ref.type))
      named.push_back({other.substr(0, other.find("::")), ref.type});
    return named;
  }

  void operators(const std::vector<ast::OperatorRef>& refs) {
    for (const ast::OperatorRef& ref : refs) operatorLike(ref);
  }

  using Values = std::map<std::string, SourceRange>;

  void inPattern(const ast::Pattern& pattern) {
    Values values;
    const auto declare = [&](const ast::Name& name) {
      if (name.text == "_" || name.text.empty()) return;
      const auto [at, isNew] = values.emplace(name.text, name.range);
      add(Of::Value, name.range, name.text, at->second);
    };
    for (const ast::Parameter& parameter : pattern.parameters) declare(parameter.name);
    for (const ast::Definition& definition : pattern.definitions)
      for (const ast::Name& target : definition.targets) declare(target);
    for (const ast::Definition& definition : pattern.definitions) inTerm(definition.term, values);
    for (const ast::Name& name : pattern.shared) value(name, values);
    if (pattern.anchor) value(*pattern.anchor, values);
    for (const ast::Term& result : pattern.results) inTerm(result, values);
    for (const ir::Expr& condition : pattern.where) inExpression(condition, Context::Where, &values, {});
  }

  bool value(const ast::Name& name, const Values& values) {
    const auto found = values.find(name.text);
    if (found == values.end()) return false;
    add(Of::Value, name.range, name.text, found->second);
    return true;
  }

  /// A term has empty parts of the other kinds.
  void inTerm(const ast::Term& term, const Values& values) {
    const bool isValue = value(term.name, values);
    if (term.kind == ast::Term::Kind::Value && !isValue) operatorLike({std::nullopt, term.name.text, term.name.range});
    if (term.constant.test) inExpression(*term.constant.test, Context::Constant, nullptr, {});
    operators(term.operators.any);
    operators(term.operators.none);
    std::vector<ir::OperatorName> tested;
    for (const ast::OperatorRef& ref : term.operators.any) addOperators(ref, tested);
    for (const ir::Expr& test : term.attributes) inAttribute(test, values, tested);
    for (const ast::Term& part : term.terms) inTerm(part, values);
  }

  /// A test of attributes, or, in a lowering, an attribute and its value.
  void inAttribute(const ir::Expr& test, const Values& values, const std::vector<ir::OperatorName>& tested) {
    if (!isLowering_ || test.kind != ir::Expr::Kind::Eq) return inExpression(test, Context::Attribute, nullptr, tested);
    inExpression(test.args[0], Context::Attribute, nullptr, tested);
    inExpression(test.args[1], Context::Argument, &values, tested);
  }

  void addOperators(const ast::OperatorRef& ref, std::vector<ir::OperatorName>& into) const {
    const auto found = ref.domain ? scope_.classes.end() : scope_.classes.find(ref.type);
    const std::vector<ir::OperatorName> named =
        found == scope_.classes.end() ? operatorsNamed(ref) : found->second->members;
    into.insert(into.end(), named.begin(), named.end());
  }

  void inExpression(const ir::Expr& expr, Context context, const Values* values,
                    const std::vector<ir::OperatorName>& tested) {
    for (const ir::Expr& argument : expr.args) inExpression(argument, context, values, tested);
    if (expr.kind == ir::Expr::Kind::Call && expr.text != ir::kListConstructor) {
      const SourceRange name{expr.range.buffer, expr.range.begin,
                             expr.range.begin + static_cast<uint32_t>(expr.text.size())};
      if (const expression::Function* function = expression::findFunction(expr.text))
        add(Of::Function, name, expr.text, std::nullopt, {}, function);
    }
    if (expr.kind != ir::Expr::Kind::Name) return;
    if (values != nullptr && value({expr.text, expr.range}, *values)) return;
    if (const expression::Function* function = expression::findName(expr.text, context))
      add(Of::Function, expr.range, expr.text, std::nullopt, {}, function);
    else if (ir::elementTypeFromName(expr.text))
      add(Of::ElementType, expr.range, expr.text);
    else if (context == Context::Attribute)
      add(Of::Attribute, expr.range, expr.text, std::nullopt, tested);
  }

  /// Names in text that has no tree: declarations with a syntax error may have none.
  void inDamagedText() {
    const std::string_view text = sources_.text(file_.buffer);
    std::map<uint32_t, uint32_t> read;
    for (const ast::Declaration& declaration : file_.tree.declarations)
      if (!declaration.broken) read.emplace(declaration.range.begin, declaration.range.end);
    for (const SourceRange& name : namesIn(file_.buffer, sources_)) {
      if (found_.contains(name.begin)) continue;
      const auto next = read.upper_bound(name.begin);
      if (next != read.begin() && name.begin < std::prev(next)->second) continue;
      // After `::` the domain decides, which is not read here.
      if (name.begin >= 2 && text.substr(name.begin - 2, 2) == "::") continue;
      operatorLike({std::nullopt, std::string(text.substr(name.begin, name.end - name.begin)), name});
    }
  }

  const OpenedRules& rules_;
  const SourceFile& file_;
  const FileScope& scope_;
  const SourceManager& sources_;
  OperatorSchemas schemas_;
  bool isLowering_ = false;
  std::set<size_t> seen_;
  std::map<std::string, SourceRange> ruleNames_;
  /// By their first byte.
  std::map<uint32_t, Mention> found_;
};

}  // namespace

std::vector<Mention> mentionsIn(const OpenedRules& rules, size_t file, const SourceManager& sources) {
  return MentionFinder(rules, file, sources).run();
}

}  // namespace amdahlc::grammar

/// Lowers a written match to `ir::Pattern`: fragments expanded, classes flattened, optional operators as aliases.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grammar/ast.h"
#include "grammar/attribute_checks.h"
#include "grammar/expressions.h"
#include "grammar/file_scope.h"
#include "grammar/operator_schemas.h"
#include "ir/rules.h"
#include "support/diagnostic.h"

namespace amdahlc::grammar {

/// The context of checking, shared by all rules that are loaded together.
struct CheckContext {
  const OperatorSchemas& schemas;
  Regexes& regexes;
  const SourceManager& sources;
  DiagnosticEngine& diagnostics;
  const std::vector<std::pair<std::string, int64_t>>& opsets;
  /// Operators that a warning was reported for, by domain and type: one warning is enough.
  std::set<std::pair<uint32_t, std::pair<std::string, std::string>>> warnedOperators = {};
  /// Of the rule or the fragment that is being checked.
  AttributeChecks attributes = {};
};

class PatternBuilder {
 public:
  PatternBuilder(CheckContext& context, const FileScope& file)
      : context_(context), file_(file), expressions_(context.regexes, context.sources, context.diagnostics) {}

  /// nullopt after reporting an error.
  std::optional<ir::Pattern> lower(const ast::Pattern& written);
  /// Checks a fragment on its own, with any values for its parameters, after the fragments that it uses.
  static void checkFragment(FragmentEntry& entry, CheckContext& context);
  /// The operators of a list of names, with classes flattened. `views` is set to whether all names are classes of
  /// views. False after an error.
  bool flatten(const std::vector<ast::OperatorRef>& names, std::vector<ir::OperatorName>& into, bool& views);

 private:
  static constexpr uint32_t kNone = ir::PatternNode::kNoValue;

  struct Scope {
    std::map<std::string, uint32_t> names;
    /// Values that are defined further down.
    std::map<std::string, SourceRange> later;
    const FileScope* file = nullptr;
    /// Prefix of the names of values of an expanded fragment; empty in the match itself.
    std::string prefix;
    /// Parameters used as `name...`.
    std::map<std::string, SourceRange> rest;
  };
  struct Condition {
    ir::Expr expr;
    std::shared_ptr<Scope> scope;
  };
  struct Operators {
    ir::OperatorSet set;
    /// Named by classes of views only.
    bool views = false;
    bool wild = false;
  };

  std::optional<ir::Pattern> finish(std::vector<uint32_t> results, const ast::Pattern& written,
                                    const std::shared_ptr<Scope>& scope);
  std::optional<std::vector<uint32_t>> defineWhole(const ast::Pattern& written, const std::shared_ptr<Scope>& scope,
                                                   bool isFragment);
  bool defineAll(const ast::Pattern& written, const std::shared_ptr<Scope>& scope);
  bool define(const ast::Term& term, const std::shared_ptr<Scope>& scope, const std::vector<uint32_t>& outputs);
  bool defineCall(const ast::Term& term, const std::shared_ptr<Scope>& scope, const std::vector<uint32_t>& outputs,
                  std::vector<uint32_t> operands, bool more);
  bool defineFragment(const ast::Term& term, FragmentEntry& entry, const std::vector<uint32_t>& operands,
                      const std::vector<uint32_t>& outputs);
  std::optional<uint32_t> operand(const ast::Term& term, const std::shared_ptr<Scope>& scope);
  std::optional<uint32_t> named(const std::string& name, SourceRange range, const Scope& scope);
  FragmentEntry* fragmentOf(const ast::Term& term, const Scope& scope) const;
  std::optional<Operators> resolve(const ast::OperatorChoice& choice, const Scope& scope);
  bool resolveOne(const ast::OperatorRef& ref, const Scope& scope, std::vector<ir::OperatorName>& into, bool& views);
  /// Names that may be written there.
  std::vector<std::string> operatorsLike(const ast::OperatorRef& ref, const Scope& scope) const;
  void warnUnknown(const ast::OperatorRef& ref, const std::string& domain, const Scope& scope);
  void checkAgainstSchemas(const ast::Term& term, const Operators& operators, size_t operands, bool more,
                           size_t outputs);
  bool lowerAttributes(const ast::Term& term, const Operators& operators, std::vector<ir::Expr>& into);

  uint32_t addValue(ir::PatternValue::Kind kind, const std::string& name, SourceRange range);
  std::string uniqueName(const std::string& wanted);
  void addAlias(uint32_t value, uint32_t to) { pattern_.values[value].definitions.push_back({true, to, 0}); }
  uint32_t anyValue();
  bool spend(SourceRange range);
  /// Reports an error; false.
  bool fail(DiagId id, SourceRange range, std::string message);
  /// The same where there is no value.
  std::nullopt_t refuse(DiagId id, SourceRange range, std::string message) {
    fail(id, range, std::move(message));
    return std::nullopt;
  }

  // pattern_finish.cpp
  uint32_t canonical(uint32_t value) const;
  void redirectAliases();
  /// Marks what leads to the values `work`, but for what leads to marked values.
  void markReachable(std::vector<uint32_t> work, std::vector<bool>& values, std::vector<bool>& nodes) const;
  bool resultsTouch(const std::vector<uint32_t>& results) const;
  bool lowerConditions(const std::vector<bool>& used);
  const KnownAttributes* knownAttributes(uint32_t value);
  void checkAttributesOfValues(const ir::Expr& condition, const std::map<std::string, uint32_t>& values);
  void compact(const std::vector<bool>& values, const std::vector<bool>& nodes);

  CheckContext& context_;
  const FileScope& file_;
  ExpressionChecker expressions_;
  ir::Pattern pattern_;
  /// By value.
  std::vector<SourceRange> ranges_;
  /// By value: the value that it is an alias for.
  std::vector<uint32_t> forward_;
  std::vector<Condition> conditions_;
  std::map<std::string, uint32_t> nameUses_;
  std::set<std::string> names_;
  /// Those that were reported.
  std::set<std::string> unknownNames_;
  /// By value, of the operators that produce it; nullopt where they are not known.
  std::map<uint32_t, std::optional<KnownAttributes>> knownAttributes_;
  std::optional<uint32_t> any_;
  uint32_t spent_ = 0;
  /// Nesting of expanded fragments.
  uint32_t depth_ = 0;
  /// The use in the match that is being expanded, to which messages about limits point.
  SourceRange expanded_;
  bool exhausted_ = false;
};

}  // namespace amdahlc::grammar

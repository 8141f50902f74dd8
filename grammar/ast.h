/// The syntax tree of a `.akp` file, with source ranges. Names are not resolved.
#pragma once

#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "ir/rules.h"
#include "support/source.h"

namespace amdahlc::grammar::ast {

struct Name {
  std::string text;
  SourceRange range;
};

struct Integer {
  int64_t value = 0;
  SourceRange range;
};

/// `domain::type`; without a domain it may also name a class or a fragment.
struct OperatorRef {
  std::optional<std::string> domain;
  std::string type;
  SourceRange range;
};

/// `A | B`, `any but A | B`, `!A`.
struct OperatorChoice {
  std::vector<OperatorRef> any;
  std::vector<OperatorRef> none;
  SourceRange range;
};

/// A term of a pattern, which denotes a value.
struct Term {
  enum class Kind : uint8_t {
    /// `name`.
    Value,
    /// `_`.
    Any,
    /// `const`, `const 2.0`, `const(it > 0)`.
    Constant,
    /// `Op(operands) { attributes }`, a class or a fragment.
    Call,
    /// `(term | term)`.
    Alternatives,
    /// Names of operators without operands: `domain::type`, `(any but A)`.
    Operators,
    /// `(term, term)`: several results.
    List,
    /// `name...` or `...`, only as the last operand.
    Rest,
    /// An empty operand position.
    Omitted,
  };
  Kind kind = Kind::Any;
  SourceRange range;
  /// Value; Rest (may be empty).
  Name name;
  /// `?`.
  bool optional = false;
  ir::ConstantTest constant;
  /// Call, Operators.
  OperatorChoice operators;
  /// Call with `*`, `+`, `{m,n}`.
  bool counted = false;
  uint32_t min = 1;
  uint32_t max = 1;
  std::vector<ir::Expr> attributes;
  /// Operands, alternatives, list elements.
  std::vector<Term> terms;
};

/// `names = term;`
struct Definition {
  std::vector<Name> targets;
  Term term;
};

struct Parameter {
  Name name;
  bool optional = false;
  /// Only of a lowering: `const name`.
  bool constant = false;
  /// Only of a lowering: `name...`, or `...` without a name.
  bool rest = false;
};

/// A match, the body of a fragment, or a lowering.
struct Pattern {
  std::vector<Parameter> parameters;
  std::vector<Definition> definitions;
  std::vector<Name> shared;
  std::optional<Name> anchor;
  std::vector<ir::Expr> where;
  std::vector<Term> results;
  SourceRange range;
};

struct Applies {
  /// What the names are of.
  std::vector<std::string> ir::Applicability::* of = nullptr;
  std::vector<Name> names;
  SourceRange range;
};

/// One alternative of `runs as`.
struct Launch {
  bool nothing = false;
  ir::LaunchSequence sequence;
  /// Parallel to `sequence.operatorPatterns`.
  std::vector<SourceRange> operatorPatternRanges;
  /// The first `for op`.
  std::optional<SourceRange> operatorsRange;
  /// `on`, `arch`, `runtime`.
  std::vector<Applies> applies;
  SourceRange range;
};

/// Members of a kernel, or those that a refinement replaces.
struct RuleBody {
  std::optional<Name> label, category;
  std::optional<Integer> priority;
  bool recompute = false;
  /// Of the member `generated`.
  std::optional<SourceRange> generated;
  /// The kind that the member `evidence` names.
  std::optional<Name> evidence;
  std::vector<Applies> applies;
  std::vector<Pattern> matches;
  /// The first was written `or match`.
  bool addsMatches = false;
  std::vector<Launch> launches;
  /// The first was written `or as`.
  bool addsLaunches = false;
};

struct Declaration {
  enum class Kind : uint8_t { Import, Applies, Evidence, Class, Hidden, Disable, Lower, Fragment, Kernel, Refine };
  Kind kind = Kind::Import;
  SourceRange range;
  /// The doc comment before it, lines joined by newlines.
  std::string doc;
  /// Of what is declared or refined; of views, `View` where none is written. Import: the path. Evidence: its kind.
  /// Lower: the first call.
  Name name;
  /// Lower: all calls.
  std::vector<Name> calls;
  /// Applies: one. Class, Lower: where views cost nothing or the lowering applies, if it is written.
  std::vector<Applies> applies;
  /// Class, Hidden.
  std::vector<OperatorRef> operators;
  /// Class: it is declared by `views`.
  bool views = false;
  /// Disable.
  std::vector<Name> disabled;
  /// Fragment; Lower: its arguments, operators and result.
  Pattern pattern;
  /// Kernel, Refine.
  RuleBody body;
  /// The declaration has a syntax error. Only its name is used, and no further errors are reported in it.
  bool broken = false;
};

struct File {
  std::optional<Integer> version;
  std::vector<Declaration> declarations;
  bool hasSyntaxErrors = false;

  auto declarationsOf(Declaration::Kind kind) const {
    return declarations | std::views::filter([kind](const Declaration& one) { return one.kind == kind; });
  }
};

}  // namespace amdahlc::grammar::ast

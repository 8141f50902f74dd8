/// `.akp` text as a tree: what was written, with its places, before any name is resolved.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/rules.h"
#include "support/source.h"

namespace amdahlc::grammar::ast {

struct Name {
  std::string text;
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

/// What stands for a value in a pattern.
struct Term {
  enum class Kind : uint8_t {
    Value,         ///< `name`
    Any,           ///< `_`
    Constant,      ///< `const`, `const 2.0`, `const(it > 0)`
    Call,          ///< `Op(operands) { attributes }`, a class or a fragment
    Alternatives,  ///< `(term | term)`
    Operators,     ///< names of operators without operands: `domain::type`, `(any but A)`
    List,          ///< `(term, term)`: several results
    Rest,          ///< `name...` or `...`, only as the last operand
    Omitted,       ///< an empty operand position
  };
  Kind kind = Kind::Any;
  SourceRange range;
  std::string name;       ///< Value; Rest (may be empty)
  bool optional = false;  ///< `?`
  ir::ConstantTest constant;
  OperatorChoice operators;  ///< Call, Operators
  bool counted = false;      ///< Call with `*`, `+`, `{m,n}`
  uint32_t min = 1;
  uint32_t max = 1;
  std::vector<ir::Expr> attributes;
  std::vector<Term> terms;  ///< operands, alternatives, list elements
};

/// `names = term;`
struct Definition {
  std::vector<Name> targets;
  Term term;
};

struct Parameter {
  Name name;
  bool optional = false;
};

/// A match, or the inside of a fragment.
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
  enum class Of : uint8_t { Runtime, Vendor, Arch };
  Of of = Of::Runtime;
  std::vector<Name> names;
  SourceRange range;
};

/// One alternative of `runs as`.
struct Launch {
  bool nothing = false;
  ir::LaunchSequence sequence;
  std::vector<SourceRange> operatorPatternRanges;  ///< beside `sequence.operatorPatterns`
  std::vector<Applies> applies;                    ///< `on`, `arch`, `runtime`
  SourceRange range;
};

/// Members of a kernel, or what a refinement replaces.
struct RuleBody {
  std::optional<Name> label, category;
  std::optional<std::pair<int64_t, SourceRange>> priority;
  bool recompute = false;
  std::vector<Applies> applies;
  std::vector<Pattern> matches;
  bool addsMatches = false;  ///< the first was written `or match`
  std::vector<Launch> launches;
  bool addsLaunches = false;  ///< the first was written `or as`
};

struct Kernel {
  Name name;
  std::string doc;
  RuleBody body;
};

struct Fragment {
  Name name;
  Pattern pattern;
};

struct OperatorClass {
  Name name;
  bool views = false;
  std::vector<OperatorRef> members;
};

struct Declaration {
  enum class Kind : uint8_t { Import, Applies, Class, Hidden, Disable, Fragment, Kernel, Refine };
  Kind kind = Kind::Import;
  SourceRange range;
  Name import;                      ///< Import: the path
  Applies applies;                  ///< Applies
  OperatorClass operatorClass;      ///< Class
  std::vector<OperatorRef> hidden;  ///< Hidden
  std::vector<Name> disabled;       ///< Disable
  Fragment fragment;                ///< Fragment
  Kernel kernel;                    ///< Kernel, Refine
  /// The text of this declaration has a syntax error: only its name is to be used, and nothing said about it again.
  bool broken = false;
};

struct File {
  std::optional<std::pair<int64_t, SourceRange>> version;
  std::vector<Declaration> declarations;
  bool hasSyntaxErrors = false;
};

}  // namespace amdahlc::grammar::ast

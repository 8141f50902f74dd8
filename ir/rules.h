/// Checked rules as plain data, with fragments expanded, names resolved and classes flattened.
///
/// `grammar` builds them from `.akp` text, `passes/fuse` matches them, and `passes/trace_bind` reads their launch
/// sequences. `ir/text` writes them as `.akp` text again, so that a dump is self-contained. Regular expressions stay
/// text; their users compile them once.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/expr.h"
#include "ir/ids.h"
#include "support/source.h"

namespace amdahlc::ir {

/// An operator by name. An empty domain is `ai.onnx`, and `*` is any domain. The type `*` is any operator.
struct OperatorName {
  std::string domain;
  std::string type;
  friend bool operator==(const OperatorName&, const OperatorName&) = default;
  friend auto operator<=>(const OperatorName&, const OperatorName&) = default;
};

/// A set of operators: any of `any`, none of `none`. An empty `any` with a non-empty `none` means "any but".
struct OperatorSet {
  std::vector<OperatorName> any;
  std::vector<OperatorName> none;
  friend bool operator==(const OperatorSet&, const OperatorSet&) = default;
};

inline bool isEmpty(const OperatorSet& set) { return set.any.empty() && set.none.empty(); }

/// Whether the operator `type` of `domain` is in the set. ONNX's own domain is empty.
inline bool contains(const OperatorSet& set, std::string_view domain, std::string_view type) {
  const auto covers = [&](const OperatorName& name) {
    return (name.domain == "*" || name.domain == domain) && (name.type == "*" || name.type == type);
  };
  return (set.any.empty() ? !set.none.empty() : std::ranges::any_of(set.any, covers)) &&
         std::ranges::none_of(set.none, covers);
}

/// A test of a constant operand. All given parts must hold; without parts, every constant fits (initializer, Constant
/// op, folded).
struct ConstantTest {
  /// Every element equals it, within 1e-3 relative (exporters print sqrt(2) in float16).
  std::optional<double> equals;
  /// Over `it`.
  std::optional<Expr> test;
  friend bool operator==(const ConstantTest&, const ConstantTest&) = default;
};

/// A value of a pattern.
struct PatternValue {
  enum class Kind : uint8_t {
    /// An input of the match: any value (with `optional`, also an omitted operand).
    Captured,
    /// A constant that satisfies `constant`.
    Constant,
    /// Produced inside the match by one of `definitions`.
    Defined,
    /// `_`: anything, even different things at each use; never bound.
    Any,
  };
  /// One definition of the value: output `output` of a pattern node, or another value (an alternative, or an optional
  /// operator that is absent). Definitions are tried in order.
  struct Definition {
    bool alias = false;
    /// Index of the node, or of the value if `alias`.
    uint32_t index = 0;
    /// Output of the node.
    uint32_t output = 0;
    friend bool operator==(const Definition&, const Definition&) = default;
  };
  /// Empty for a value without a name.
  std::string name;
  Kind kind = Kind::Captured;
  /// For `Captured`: the operand may be absent.
  bool optional = false;
  /// For `Defined`: uses outside of the match are allowed (`shared`). With such uses, the value is a result of the
  /// candidate.
  bool shared = false;
  ConstantTest constant;
  std::vector<Definition> definitions;
  friend bool operator==(const PatternValue&, const PatternValue&) = default;
};

/// An operator of a pattern. With `max` > 1 (0 is unbounded) it matches a chain of `min`..`max` such operators. Each
/// reads the next through its first operand (for views, through its first operand that is not constant). `operands`
/// then describe the last one, which is farthest from the result; other operands of the chain are not tested. An
/// optional operator (`min` 0) is an alias definition of the value, except for chains.
struct PatternNode {
  OperatorSet operators;
  uint32_t min = 1;
  uint32_t max = 1;
  /// Pattern values.
  std::vector<uint32_t> operands;
  /// `...`: further operands are allowed and unconstrained.
  bool moreOperands = false;
  /// Operands match in either order (commutative operators, two operands).
  bool anyOrder = false;
  /// Pattern value per output; kNoValue if the pattern does not name it.
  std::vector<uint32_t> outputs;
  static constexpr uint32_t kNoValue = 0xffffffffu;
  /// Attribute tests: each an expression over Name leaves that are attribute names; a missing attribute has its schema
  /// default if ONNX defines one.
  std::vector<Expr> attributes;
  /// From a class declared `views`: costs nothing on the device and does not count as owned.
  bool view = false;
  friend bool operator==(const PatternNode&, const PatternNode&) = default;
};

/// One `match`: a small dataflow graph.
struct Pattern {
  std::vector<PatternValue> values;
  std::vector<PatternNode> nodes;
  /// Live-out values. The first one is the root's; others are found through shared operands.
  std::vector<uint32_t> results;
  /// Node named by `anchor`; otherwise the first owned operator in graph order.
  std::optional<uint32_t> anchor;
  /// All must hold.
  std::vector<Expr> where;
  friend bool operator==(const Pattern&, const Pattern&) = default;
};

/// What can produce a value of a pattern.
struct Producers {
  /// The nodes, and which outputs of them.
  std::set<uint32_t> nodes, outputs;
  /// The value may also be one from outside of the match.
  bool orNothing = false;
  /// The values that it may be: itself, others that are alternatives, operands of optional operators.
  size_t values = 0;
};
Producers producersOf(const Pattern& pattern, uint32_t value);

/// Where a rule or one of its kernel alternatives applies. An empty list admits all. Values compare case-insensitively;
/// arch may end in `+` (`sm_80+`: this one and later ones of its line; see replay/timeline/target.h).
struct Applicability {
  std::vector<std::string> runtimes, vendors, archs;
  friend bool operator==(const Applicability&, const Applicability&) = default;
};

/// One step of a launch sequence: a test over a kernel, and how often it occurs in a row.
struct KernelStep {
  Expr test;
  uint32_t min = 1;
  /// 0: unbounded.
  uint32_t max = 1;
  friend bool operator==(const KernelStep&, const KernelStep&) = default;
};

/// One way in which the kernel runs: device events in launch order (or, for a set, in any order), launched by a
/// framework operator.
struct LaunchSequence {
  std::vector<KernelStep> steps;
  /// `set { ... }`.
  bool anyOrder = false;
  /// Exact names of framework operators, one of which is around the launch; empty for any.
  std::vector<std::string> operators;
  /// The same as regular expressions (full match).
  std::vector<std::string> operatorPatterns;
  Applicability where;
  friend bool operator==(const LaunchSequence&, const LaunchSequence&) = default;
};

/// The category of a rule without one.
inline constexpr std::string_view kOtherCategory = "other";

struct Rule {
  /// Unique in a rule set. Where libraries of several runtimes have a rule of one name, those of later files begin with
  /// their runtime: `onnxruntime-gemm`.
  std::string name;
  /// What reports print; the name by default.
  std::string label;
  /// `gemm`, `attention`, ...; kOtherCategory by default.
  std::string category;
  /// The doc comment, lines joined by newlines.
  std::string doc;
  /// File name as given, without folders above the rule library; that of IR text, if the rules are in one.
  std::string file;
  int64_t priority = 0;
  Applicability where;
  /// Its operators may be in several kernels.
  bool recompute = false;
  /// A compiler generates its kernel for any connected operators that its patterns match; each pattern is one operator
  /// without conditions. With several patterns, an operator of the first one occurs exactly once. `fuse` makes no
  /// candidates for it: `trace_bind` makes those that the names of a run's kernels tell.
  bool generated = false;
  /// `runs as nothing`.
  bool noDeviceWork = false;
  /// `evidence names`: the events of a trace are bound to the rule by the names of kernels and their order of launch.
  /// Framework operators are not considered, so no launch sequence of the rule names one.
  bool namesOnly = false;
  /// Alternatives, tried in order.
  std::vector<Pattern> patterns;
  /// Alternatives. If empty and not noDeviceWork, any event fits, by order and operator alone.
  std::vector<LaunchSequence> launches;
  /// Of the rule's name. It and the file are not part of equality.
  SourceRange range;
  friend bool operator==(const Rule& a, const Rule& b) {
    return a.name == b.name && a.label == b.label && a.category == b.category && a.doc == b.doc &&
           a.priority == b.priority && a.where == b.where && a.recompute == b.recompute && a.generated == b.generated &&
           a.noDeviceWork == b.noDeviceWork && a.namesOnly == b.namesOnly && a.patterns == b.patterns &&
           a.launches == b.launches;
  }
};

/// Whether a pattern is one operator with any operands, `Op(_, ...)`, as those of `generated` rules are.
bool isOneOperator(const Pattern& pattern);

/// Whether each launch sequence is one kernel without an operator, as those of `generated` rules are.
bool runsAsOneNamedKernel(const Rule& rule);

/// Operators that cost nothing on the device where they apply.
struct Views {
  Applicability where;
  std::vector<OperatorName> operators;
  friend bool operator==(const Views&, const Views&) = default;
};

/// How a call of a framework's operator is written in operators of ONNX, so that rules, rooflines and pictures treat it
/// like a node of a model.
struct Lowering {
  /// An argument of the call, in order.
  struct Parameter {
    enum class Kind : uint8_t {
      /// Anything, also nothing; it is not used.
      Any,
      Tensor,
      /// A tensor, a number or a list of numbers, which the graph holds as a constant: a weight, an axis. A tensor that
      /// an earlier node of the graph makes stays its result.
      Constant,
      /// A number, a truth value, a text or a list of numbers, which attributes are made of.
      Value,
    };
    Kind kind = Kind::Any;
    /// The argument may be nothing; then the operands that it stands for are absent.
    bool optional = false;
    /// Empty for `Any`.
    std::string name;
    /// Counted behind the last tensor of the call: an argument behind `...`. Only of values and `Any`.
    bool behindMore = false;
    friend bool operator==(const Parameter&, const Parameter&) = default;
  };
  /// `strides = stride`. The value is an expression over names of parameters (`lowering_values.h`).
  struct Attribute {
    std::string name;
    Expr value;
    friend bool operator==(const Attribute&, const Attribute&) = default;
  };
  /// What an operator reads: an argument of the call, or the first result of an earlier operator.
  struct Operand {
    enum class Kind : uint8_t { Argument, Result };
    Kind kind = Kind::Argument;
    /// Of the parameter, or of the operator in `ops`.
    uint32_t index = 0;
    friend bool operator==(const Operand&, const Operand&) = default;
  };
  struct Operator {
    OperatorName name;
    std::vector<Operand> operands;
    /// In the order of the text; names are distinct.
    std::vector<Attribute> attributes;
    friend bool operator==(const Operator&, const Operator&) = default;
  };
  /// Names of the framework's operators; distinct.
  std::vector<std::string> calls;
  std::vector<Parameter> parameters;
  /// `...`: further tensors are allowed, those in lists included. Further arguments that are no tensors always are.
  bool moreTensors = false;
  /// Of all tensors behind the parameters, in order: the operands of the last operator after its own ones (`xs...`).
  /// Only with `moreTensors`.
  bool passesMore = false;
  /// In the order of computation; the last one gives the results. Never empty.
  std::vector<Operator> ops;
  Applicability where;
  /// Of the first name. Not part of equality.
  SourceRange range;
  friend bool operator==(const Lowering& a, const Lowering& b) {
    return a.calls == b.calls && a.parameters == b.parameters && a.moreTensors == b.moreTensors &&
           a.passesMore == b.passesMore && a.ops == b.ops && a.where == b.where;
  }
};

/// Whether both admit some target: one of their runtimes and one of their vendors is the same, or one admits all.
/// Architectures are not compared.
bool admitCommonTarget(const Applicability& a, const Applicability& b);

struct RuleSet {
  IdVector<RuleId, Rule> rules;
  /// Of those that fit a call and apply on its target the first one is taken. Those of a file come before those of the
  /// files that it imports and of files that are loaded earlier.
  std::vector<Lowering> lowerings;
  /// Operators that `simplify` hides: their results are replaced by an operand, or they have no operands.
  OperatorSet hidden;
  /// By all `views` declarations; one entry for each place where some apply.
  std::vector<Views> views;

  void addViews(const Applicability& where, const std::vector<OperatorName>& operators);
  /// Whether the operator is a view on some target that `where` admits.
  bool isView(const OperatorName& name, const Applicability& where) const;
};

/// The place of a rule among those whose candidates own as many operators; the lower one is chosen first: by the higher
/// priority, then by the earlier declaration.
struct RulePrecedence {
  /// Negated. The lowest integer cannot be negated; it counts as the next one.
  int64_t priority = 0;
  int64_t declaration = 0;
  friend auto operator<=>(const RulePrecedence&, const RulePrecedence&) = default;
};
inline RulePrecedence precedence(const RuleSet& set, RuleId rule) {
  const int64_t priority = std::max(set.rules[rule].priority, -std::numeric_limits<int64_t>::max());
  return {-priority, static_cast<int64_t>(rule.index())};
}

}  // namespace amdahlc::ir

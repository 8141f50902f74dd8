/// The parts of the printer. Private to this component.
#pragma once

#include <iterator>
#include <string_view>
#include <unordered_set>
#include <variant>

#include "ir/module.h"
#include "ir/text/writer.h"

namespace amdahlc::ir {

/// Prints graphs, and references to their values and operators.
class GraphPrinter {
 public:
  GraphPrinter(const Module& module, TextWriter& out);

  void printGraph(GraphId graph);
  /// `%name` in the scope of `graph`; `^k` skips k values of the same name in inner graphs; `_` is no value.
  void printValue(GraphId graph, ValueId value);
  /// `%y = MatMul(%x, %w)`.
  void printHead(OpId op);

 private:
  void printOp(OpId op);
  void printOutputTypes(const Op& op, OpId id);
  void printValueFacts(const Value& value);
  void printLiteral(const TensorConstant& constant, const Type& expected);
  void printAttribute(const Attribute& attribute);
  void printTensor(const TensorConstant& constant);
  void printErased(GraphId graph);

  const Module& module_;
  TextWriter& out_;
  IdVector<GraphId, std::vector<ValueId>> constants_;
  IdVector<GraphId, std::vector<OpId>> erased_;
  /// Graph << 32 | symbol; filled only if there are several graphs.
  std::unordered_set<uint64_t> names_;
};

/// The words for lists of attributes, which empty ones have; in the order of the alternatives of `AttributeValue`,
/// which are single values and then lists of them.
inline constexpr std::string_view kListWords[] = {"ints", "floats", "strings", "tensors", "types"};
static_assert(std::variant_size_v<AttributeValue> == 2 * std::size(kListWords));

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

/// A fact of a target: its word, and what the parser calls its value.
struct TargetField {
  std::string_view word;
  std::string Target::* member;
  const char* what;
};
inline constexpr TargetField kTargetFields[] = {{"runtime", &Target::runtime, "a runtime"},
                                                {"vendor", &Target::vendor, "a vendor"},
                                                {"arch", &Target::arch, "an architecture"},
                                                {"device", &Target::device, "a device"}};

void printTarget(TextWriter& out, const Target& target);
void printProblems(TextWriter& out, const DataProblems& problems);
/// The label of a kernel as a comment at the end of its row.
void printLabel(TextWriter& out, const FacetOwner& owner, KernelId kernel);

/// Every rule for which `wanted` holds, with the hidden operators and the views, as text of the rule language.
std::string printRuleSet(const RuleSet& rules, const IdVector<RuleId, bool>& wanted);

/// Terms inside each other, of which further ones become statements: the grammar limits how deep brackets nest.
inline constexpr unsigned kMostNested = 8;

/// A match in the rule language, without an indentation.
std::string matchText(const Pattern& pattern);

void printTimeline(TextWriter& out, const Timeline& timeline);

void printCandidates(TextWriter& out, GraphPrinter& graphs, const Module& module);
void printCover(TextWriter& out, GraphPrinter& graphs, const Module& module, const Cover& cover);
void printScenario(TextWriter& out, const Scenario& scenario);

}  // namespace amdahlc::ir

/// Evidence that a call of the trace runs an alternative of the graph, as log-odds.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/facets/bound.h"
#include "passes/trace_bind/alternatives.h"
#include "passes/trace_bind/choose_cover.h"
#include "passes/trace_bind/generated_code.h"
#include "passes/trace_bind/kernel_test.h"
#include "passes/trace_bind/launches.h"
#include "passes/trace_bind/named_nodes.h"
#include "passes/trace_bind/program.h"

namespace amdahlc::binding {

/// The rows of evidence.def, which says what each is about. Values are in hundredths of a nat.
namespace evidence {
#define AMDAHLC_EVIDENCE(ID, VALUE, ...) inline constexpr Score k##ID = VALUE;
#include "passes/trace_bind/evidence.def"
#undef AMDAHLC_EVIDENCE

enum class Row : uint8_t {
#define AMDAHLC_EVIDENCE(ID, ...) ID,
#include "passes/trace_bind/evidence.def"
#undef AMDAHLC_EVIDENCE
};
inline constexpr Score kValues[] = {
#define AMDAHLC_EVIDENCE(ID, ...) k##ID,
#include "passes/trace_bind/evidence.def"
#undef AMDAHLC_EVIDENCE
};
inline constexpr size_t kRows = std::size(kValues);
constexpr Score value(Row row) { return kValues[static_cast<size_t>(row)]; }

/// A set of rows, one bit each.
using Rows = uint64_t;
static_assert(kRows <= 64);
constexpr Rows bit(Row row) { return Rows{1} << static_cast<unsigned>(row); }
/// `SameOperator+OtherWeight`, in the order of the table; empty for none.
std::string describe(Rows rows);

/// The row of evidence that scores a unit which no call ran, by its operators and its source.
Row skipRow(const AlternativeGraph& graph, const Unit& unit, Program::Run run);
}  // namespace evidence

/// An alternative as the kernel of a call.
struct Option {
  UnitId unit = kNoUnit;
  AlternativeId alternative = kNoAlternative;
  /// The step along the program (Program::step).
  uint32_t from = 0, to = 0;
  /// The evidence, the cost of the step, and what decides between alternatives that agree equally.
  Score score = 0;
  /// The evidence of operators and kernel names alone.
  Score connection = 0;
  Score evidence = 0;
  /// Number of calls that it takes.
  uint32_t calls = 1;
  ir::EvidenceSet kinds = 0;
  /// What `evidence` is the sum of.
  evidence::Rows rows = 0;
};

/// Number of elements of an operand of these dimensions; -1 if it is not known or does not fit.
int64_t elementsOf(const std::vector<int64_t>& dims);
/// Dimensions as they are compared: sorted, without ones.
std::vector<int64_t> tellingDims(std::vector<int64_t> dims);

/// What the evidence reads of a call. Calls with equal features are one kind, which is scored once.
struct CallFeatures {
  /// Comparable names of the operators around the launches, the outermost first, distinct. Empty if unknown.
  std::vector<std::string> names;
  /// Class of the innermost module; empty if unknown.
  std::string moduleClass;
  /// Dimensions of the operands of all these operators, each sorted, without ones; how many operands of one operator
  /// have them.
  std::map<std::vector<int64_t>, size_t> dims;
  /// Numbers of elements of the same operands.
  std::set<int64_t> elements;
  /// Nothing but copies and fills.
  bool movesData = false;
  /// No operator computes; device work of such a call copies a scalar to the host.
  bool readsScalar = false;
  /// An export for inference lacks the outermost operator.
  bool onlyInTraining = false;
  /// The outermost operator creates a constant, which an export holds.
  bool createsConstant = false;
  /// The outermost operator is no work of the model where no node stands for it.
  bool isBesideModel = false;
  /// Some operand has the dimensions of a weight of the model.
  bool hasWeight = false;
  /// It converts the layout or the type of a tensor: the runtime inserted it, and no node stands for it.
  bool convertsLayout = false;
  /// The operators that the name of generated code lists; empty for other kernels.
  std::string operatorList;
  /// The node that the operators of all the call's launches state; none if there is no such node.
  ir::OpId node;
};

/// Scores calls against the units of a program.
class Scorer {
 public:
  Scorer(const AlternativeGraph& graph, const Program& program, const Launches& launches, RuleLaunches& rules);

  /// Kind of the call, dense from 0.
  uint32_t kind(size_t iteration, size_t call) const { return kinds_[iteration][call]; }
  const CallFeatures& features(uint32_t kind) const { return features_[kind]; }
  /// Ascending by step; at most one per step and number of calls.
  std::span<const Option> options(uint32_t kind) const { return options_[kind]; }
  /// What it costs to leave a call of this kind unbound.
  Score unbound(uint32_t kind) const { return unbound_[kind]; }
  bool weightsCompared() const { return weightsCompared_; }
  /// The share of the model's distinct weight dimensions that occur in the trace, of those that the trace can have;
  /// nullopt if the trace has no shapes or the model no weights.
  std::optional<double> weightsSeen() const { return weightsSeen_; }
  /// How much it tells that a call of this kind is explained or not.
  Score weight(uint32_t kind) const { return weight_[kind]; }
  /// The rule that fits the launches of a call of this kind best, for reasons.
  std::optional<ir::RuleId> bestRule(uint32_t kind) const { return bestRule_[kind]; }
  /// Whether simplify removed the node.
  bool isRemoved(ir::OpId node) const;
  /// Leaves out the alternatives that the cover lacks.
  void restrictTo(const ChosenCover& cover);

 private:
  void findKinds();
  ir::OpId nodeOf(std::span<const Launch> launches) const;
  CallFeatures describe(const Call& call, std::span<const Launch> launches) const;
  void compareShapes();
  void fitRules();
  void scoreKinds();
  void scoreKind(uint32_t kind);
  Score weigh(uint32_t kind) const;
  std::optional<Option> score(const CallFeatures& call, const RuleFit& fit, const Unit& unit, AlternativeId id);
  bool isGenerated(ir::RuleId rule) const;
  std::optional<evidence::Row> classEvidence(std::string_view moduleClass, ir::ScopeId scope) const;
  std::string viewType(const Alternative& alternative) const;
  bool namesSource(ir::RuleId rule, ir::OpId op);
  /// The groups of operators that explain the name of the call's generated kernel.
  std::vector<AlternativeId> generatedAlternatives(uint32_t kind);

  const AlternativeGraph& graph_;
  const Program& program_;
  const Launches& launches_;
  RuleLaunches& rules_;
  StatedNodes nodes_;
  /// Where some kernel was generated.
  std::optional<GeneratedCode> generated_;
  std::vector<std::vector<uint32_t>> kinds_;
  std::vector<CallFeatures> features_;
  /// Of each kind, a call: iteration and index.
  std::vector<std::pair<size_t, size_t>> example_;
  /// By kind: the rules that a launch of it may begin, ascending.
  std::vector<std::vector<std::pair<ir::RuleId, RuleFit>>> fits_;
  std::vector<std::vector<Option>> options_;
  std::vector<Score> unbound_, weight_;
  std::vector<std::optional<ir::RuleId>> bestRule_;
  /// By alternative.
  std::vector<bool> isLeftOut_;
  /// By unit: the comparable name of the exporter's operator.
  std::vector<std::string> sources_;
  std::map<std::string, std::vector<UnitId>> bySource_;
  /// Alternatives by the comparable names of their operators' types.
  std::map<std::string, std::vector<AlternativeId>> byType_;
  std::vector<UnitId> movingData_;
  /// Where the trace states nodes: the alternatives that hold each.
  IdVector<ir::OpId, std::vector<AlternativeId>> holding_;
  /// Whether the operators of some call state the node.
  IdVector<ir::OpId, bool> stated_;
  /// Comparable names of the types that rules declare as views.
  std::set<std::string> viewTypes_;
  std::map<std::pair<uint32_t, uint32_t>, bool> namesSource_;
  std::optional<double> weightsSeen_;
  bool weightsCompared_ = false, elementsCompared_ = false;
};

}  // namespace amdahlc::binding

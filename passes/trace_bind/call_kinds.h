/// Kinds of calls: what the evidence reads of a call, and how far a run has the shapes of the model.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "passes/trace_bind/moved_nodes.h"
#include "passes/trace_bind/observed_run.h"

namespace amdahlc::binding {

/// Number of elements of an operand of these dimensions; -1 if it is not known or does not fit.
int64_t elementsOf(const std::vector<int64_t>& dims);
/// Dimensions as they are compared: sorted, without ones.
std::vector<int64_t> tellingDims(std::vector<int64_t> dims);

/// What the evidence reads of a call. Calls with equal features are one kind, which is scored once.
struct CallFeatures {
  /// How its launches fit the rule; none if no launch may begin the rule's sequence.
  RuleFit fitOf(ir::RuleId rule) const {
    const auto found = fits.find(rule);
    return found == fits.end() ? RuleFit() : found->second;
  }

  /// Comparable names of the operators around the launches, the outermost first, distinct. Empty if unknown.
  std::vector<std::string> names;
  /// Class of the innermost module; empty if unknown.
  std::string moduleClass;
  /// Dimensions of the operands of all these operators, each sorted, without ones; how many operands of one operator
  /// have them.
  std::map<std::vector<int64_t>, size_t> dims;
  /// Numbers of elements of the same operands.
  std::set<int64_t> elements;
  /// An earlier run launched it (`Call::spill`).
  bool spill = false;
  /// Nothing but copies and fills.
  bool movesData = false;
  /// An operator reads packed weights, whose dimensions the trace does not have.
  bool packsWeights = false;
  /// The outermost operator has the name of a view.
  bool isView = false;
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
  /// The nodes of which it runs a part, if it states none (`MovedNodes::Movement`).
  std::vector<ir::OpId> moved;
  AlternativeId movedAs = kNoAlternative;
  /// The rules that a launch of it may begin.
  std::map<ir::RuleId, RuleFit> fits;
  /// The rule of the best fit, for reasons.
  std::optional<ir::RuleId> bestRule;
};

/// A trace may have been recorded with another batch size, length or width than the model was exported for. Dimensions
/// that differ everywhere are no evidence about a single call.
struct ShapeComparison {
  bool weights = false, elements = false;
  /// The share of the model's distinct weight dimensions that occur in the trace, of those that the trace can have;
  /// nullopt if the trace has no shapes or the model no weights.
  std::optional<double> weightsSeen;
};

class CallKinds {
 public:
  explicit CallKinds(ObservedRun& run);

  const ObservedRun& run() const { return run_; }
  /// Kind of the call, dense from 0.
  uint32_t of(size_t iteration, size_t call) const { return kinds_[iteration][call]; }
  size_t size() const { return features_.size(); }
  const CallFeatures& operator[](uint32_t kind) const { return features_[kind]; }
  const ShapeComparison& compared() const { return compared_; }
  /// Whether the operators of some call state the node.
  bool isStated(ir::OpId node) const { return stated_[node]; }
  /// Whether simplify removed the node, which may be none.
  bool isRemoved(ir::OpId node) const {
    return !node.isNone() && run_.graph.module().ops[node].state != ir::OpState::Live;
  }

 private:
  void findKinds();
  const MovedNodes::Movement& movementOf(size_t iteration, size_t index) const;
  std::vector<int64_t> keyOf(size_t iteration, size_t index) const;
  CallFeatures describe(size_t iteration, size_t index) const;
  void describe(const Launch& launch, CallFeatures& features) const;
  void fitRules(size_t iteration, size_t index, CallFeatures& features) const;
  void compareShapes();
  ir::OpId nodeOf(std::span<const Launch> launches) const;

  ObservedRun& run_;
  const MovedNodes moved_;
  std::vector<std::vector<uint32_t>> kinds_;
  std::vector<CallFeatures> features_;
  /// Comparable names of the types that rules declare as views.
  std::set<std::string> viewTypes_;
  ShapeComparison compared_;
  IdVector<ir::OpId, bool> stated_;
};

}  // namespace amdahlc::binding

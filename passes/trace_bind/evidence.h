/// What speaks for and against running an alternative as the kernel of a launch.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "ir/facets/bound.h"
#include "passes/trace_bind/alternatives.h"
#include "passes/trace_bind/frame_scopes.h"
#include "passes/trace_bind/kernel_test.h"
#include "passes/trace_bind/launches.h"

namespace amdahlc::binding {

/// Points; an alignment is the one with the largest sum. Only their ratios matter: 2000 is a launch that fits a rule by
/// kernel name and operator.
namespace score {
inline constexpr int32_t kFull = 2000;
inline constexpr int32_t kNameOnly = 1500;
/// The named operator launched an unknown kernel itself.
inline constexpr int32_t kOperatorDirect = 900;
/// An operator below the named one did.
inline constexpr int32_t kOperatorIndirect = 500;
/// No rule fits, but the exporter names the operator that launched.
inline constexpr int32_t kSourceTarget = 700;
/// No rule fits, but operator types read alike (`Tanh`, `tanh`).
inline constexpr int32_t kSameName = 450;
/// The rule says nothing about launches.
inline constexpr int32_t kAnything = 50;
inline constexpr int32_t kTargetAgrees = 500;
/// The exporter names another operator for the whole alternative.
inline constexpr int32_t kTargetDiffers = -4000;
/// The alternative is a part of a call that may have run in other parts than it was exported.
inline constexpr int32_t kPartTargetDiffers = -1500;
inline constexpr int32_t kModuleSame = 1500, kModuleNear = -400, kModuleOther = -2000;
/// The launch's own module has no scope in the graph; compared is the nearest enclosing one that has.
inline constexpr int32_t kEnclosingSame = 400, kEnclosingBelow = -700, kEnclosingOther = -4000;
/// Copies that views cause may or may not happen: what speaks for one counts less, and another module speaks against it
/// more.
inline constexpr int32_t kOptional = -900, kOptionalElsewhere = -1500;
inline constexpr int32_t kWeightsAgree = 500, kWeightsDiffer = -3000;
inline constexpr int32_t kVectorsAgree = 200, kVectorsDiffer = -500;
inline constexpr int32_t kElementsAgree = 200, kElementsDiffer = -800;
/// The operators compute on a few integers.
inline constexpr int32_t kShapeArithmetic = -1500;
/// Leaving a launch without a kernel.
inline constexpr int32_t kUnbound = -250;
/// One more launch of the call that the last kernel came from.
inline constexpr int32_t kSameCall = 150;
/// The same, where that whole call is known to run the kernel.
inline constexpr int32_t kOwnCall = 1200;
/// A kernel of the default cover, all else equal.
inline constexpr int32_t kDefaultChoice = 10;
/// Uses a result of the last kernel; less than the order counts, so that order breaks ties.
inline constexpr int32_t kFollowsData = 10;
/// Comes earlier in the expected order than the last kernel.
inline constexpr int32_t kOutOfOrder = -15;
/// Starts another trip of a loop.
inline constexpr int32_t kNextTrip = -100;
/// An operator that a rule launches gets nothing.
inline constexpr int32_t kSkipOperator = 300;
/// The same for an operator without a rule.
inline constexpr int32_t kSkipUnknown = 100;
/// Shape arithmetic, branches, what some rule lets cost nothing.
inline constexpr int32_t kSkipUnlikely = 20;
}  // namespace score

struct Verdict {
  int32_t points = 0;
  /// The part of the points that kernel name and operator gave.
  int32_t fitPoints = 0;
  /// Launches taken.
  uint32_t length = 1;
  /// Without Order.
  ir::EvidenceSet evidence = 0;
  /// Kinds of evidence that speak against it.
  int contradictions = 0;
};

/// Judges launches of one iteration.
class Judge {
 public:
  Judge(const AlternativeGraph& graph, const Launches& launches, RuleLaunches& rules, const FrameScopes& frames);

  /// Goes over to the launches of one iteration.
  void start(std::span<const Launch> launches);
  /// Whether and how `alternative` could run as the launch at `position`; nullopt: nothing connects them.
  std::optional<Verdict> judge(size_t position, AlternativeId alternative);
  /// Rules that may fit the launch by what they say about launches, or that say nothing.
  std::vector<ir::RuleId> possibleRules(size_t position) const;
  /// Whether the launch's outermost call as a whole runs the alternative: a rule or the exporter names that operator.
  bool ownsCall(size_t position, AlternativeId alternative);
  /// Whether some operator around the launch is one that the alternative's rule, the exporter or the type of its
  /// operator names.
  bool namesCall(size_t position, AlternativeId alternative);
  /// Whether the event ran before the first event of the iteration that the trace saw being launched, without a launch
  /// of its own.
  bool isSpill(size_t position) const;
  ModulePlace place(size_t position) const { return frames_.place(launches_[position]); }
  ir::ScopeId moduleScope(size_t position) const { return frames_.scope(place(position)); }
  /// The strongest fit of any rule to the launch, for reasons.
  std::optional<ir::RuleId> bestRule(size_t position);
  bool weightsCompared() const { return weightsCompared_; }

 private:
  static constexpr size_t kNoPosition = static_cast<size_t>(-1);
  void compareShapesGlobally(const Launches& launches);
  void moveTo(size_t position);
  static bool namesTarget(const Alternative& alternative, const std::vector<std::string>& operators);
  bool namesType(const Alternative& alternative) const;

  const AlternativeGraph& graph_;
  const Launches& allLaunches_;
  RuleLaunches& rules_;
  const FrameScopes& frames_;
  /// Most weights of the model occur in the trace.
  bool weightsCompared_ = false;
  /// Most operands of the trace have sizes of the model.
  bool elementsCompared_ = false;

  std::span<const Launch> launches_;
  /// What runs before this without a launch of its own was launched before the trace began, for an earlier run of the
  /// model.
  int64_t firstLaunchedNs_ = INT64_MIN;
  size_t at_ = kNoPosition;
  // Of the launch at `at_`:
  IdVector<ir::RuleId, std::optional<LaunchMatch>> matches_;
  /// Comparable, innermost first.
  std::vector<std::string> operatorNames_;
  /// Operands of all enclosing calls, each sorted.
  std::set<std::vector<int64_t>> dims_;
  /// Operands of the outermost call, ascending.
  std::vector<int64_t> elementCounts_;
  ModulePlace place_;
};

/// Names of one operator in a trace and in an export: equal, apart from a dimensionality (`conv`, `conv2d`) or a
/// variant of a long name (`batch_norm`, `_native_batch_norm_legit_no_training`).
bool sameOperator(const std::string& a, const std::string& b);

/// Names read alike: equal, or one continues the other and what they share is long enough to mean something (`conv`,
/// `conv2d`).
bool readAlike(const std::string& a, const std::string& b);

/// Confidence of one bound event: what spoke for it, less what spoke against it (docs: trace-bind).
uint16_t confidence(ir::EvidenceSet evidence, int contradictions);

}  // namespace amdahlc::binding

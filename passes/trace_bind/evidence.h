/// Evidence for and against an alternative as the kernel of a launch, and its score.
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

/// The alignment with the largest sum of scores wins. Only their ratios matter: 2000 is a launch that fits a rule by
/// kernel name and operator.
namespace score {
inline constexpr int32_t kFull = 2000;
inline constexpr int32_t kNameOnly = 1500;
/// The named operator launched an unknown kernel itself.
inline constexpr int32_t kOperatorDirect = 900;
/// An operator below the named one launched it.
inline constexpr int32_t kOperatorIndirect = 500;
/// No rule fits, but the exporter names the operator that launched.
inline constexpr int32_t kSourceTarget = 700;
/// No rule fits, but the operator type has a similar name (`Tanh`, `tanh`).
inline constexpr int32_t kSameName = 450;
/// The rule says nothing about launches.
inline constexpr int32_t kAnything = 50;
inline constexpr int32_t kTargetAgrees = 500;
/// The exporter names another operator for the whole alternative.
inline constexpr int32_t kTargetDiffers = -4000;
/// The same where the alternative is a part of a call, which may have run split up in another way than it was exported.
inline constexpr int32_t kPartTargetDiffers = -1500;
inline constexpr int32_t kModuleSame = 1500, kModuleNear = -400, kModuleOther = -2000;
/// The launch's own module has no scope in the graph; the nearest enclosing module that has one is compared.
inline constexpr int32_t kEnclosingSame = 400, kEnclosingBelow = -700, kEnclosingOther = -4000;
/// Copies that views cause may or may not happen: evidence for one counts less, and a different module counts more
/// against it.
inline constexpr int32_t kOptional = -900, kOptionalElsewhere = -1500;
inline constexpr int32_t kWeightsAgree = 500, kWeightsDiffer = -3000;
inline constexpr int32_t kVectorsAgree = 200, kVectorsDiffer = -500;
inline constexpr int32_t kElementsAgree = 200, kElementsDiffer = -800;
/// The operators compute on a few integers.
inline constexpr int32_t kShapeArithmetic = -1500;
/// A launch stays unbound.
inline constexpr int32_t kUnbound = -250;
/// A further launch of the call that launched the last kernel.
inline constexpr int32_t kSameCall = 150;
/// The same where that whole call is known to run the kernel.
inline constexpr int32_t kOwnCall = 1200;
/// A kernel of the default cover, all else equal.
inline constexpr int32_t kDefaultChoice = 10;
/// Uses a result of the last kernel. Less than `kOutOfOrder`, so that order breaks ties.
inline constexpr int32_t kFollowsData = 10;
/// Is earlier in the expected order than the last kernel.
inline constexpr int32_t kOutOfOrder = -15;
/// Starts another trip of a loop.
inline constexpr int32_t kNextTrip = -100;
/// An operator that some rule launches gets no launch.
inline constexpr int32_t kSkipOperator = 300;
/// The same for an operator without a rule.
inline constexpr int32_t kSkipUnknown = 100;
/// The same for shape arithmetic, operators in branches, and operators that some rule declares free.
inline constexpr int32_t kSkipUnlikely = 20;
}  // namespace score

struct LaunchScore {
  int32_t score = 0;
  /// The part of the score that kernel name and operator gave.
  int32_t fitScore = 0;
  /// Number of launches that the kernel takes.
  uint32_t length = 1;
  /// All kinds but `Order`.
  ir::EvidenceSet evidence = 0;
  /// Number of kinds of evidence that contradict it.
  int contradictions = 0;
};

/// Scores alternatives as kernels of the launches of one iteration.
class Scorer {
 public:
  Scorer(const AlternativeGraph& graph, const Launches& launches, RuleLaunches& rules, const FrameScopes& frames);

  /// Sets the iteration.
  void start(std::span<const Launch> launches);
  /// The score of `alternative` as the kernel of the launch at `position`; nullopt without evidence that connects them.
  std::optional<LaunchScore> score(size_t position, AlternativeId alternative);
  /// Rules whose launch sequences may fit the launch, and rules without launch sequences.
  std::vector<ir::RuleId> possibleRules(size_t position) const;
  /// Whether the top-level operator of the launch as a whole runs the alternative: a rule or the exporter names it.
  bool ownsCall(size_t position, AlternativeId alternative);
  /// Whether some operator around the launch is one that the alternative's rule, the exporter or the type of its
  /// operator names.
  bool namesCall(size_t position, AlternativeId alternative);
  /// Whether the event has no launch in the trace and ran before the first event of the iteration that has one.
  bool isSpill(size_t position) const;
  ModulePlace place(size_t position) const { return frames_.place(launches_[position]); }
  ir::ScopeId moduleScope(size_t position) const { return frames_.scope(place(position)); }
  /// The rule with the strongest fit to the launch, for reasons.
  std::optional<ir::RuleId> bestRule(size_t position);
  bool weightsCompared() const { return weightsCompared_; }

 private:
  static constexpr size_t kNoPosition = static_cast<size_t>(-1);
  void compareShapesGlobally(const Launches& launches);
  void moveTo(size_t position);
  bool namesTarget(const Alternative& alternative, const std::vector<std::string>& operators) const;
  bool namesType(const Alternative& alternative) const;

  const AlternativeGraph& graph_;
  const Launches& allLaunches_;
  RuleLaunches& rules_;
  const FrameScopes& frames_;
  /// Most weights of the model occur in the trace.
  bool weightsCompared_ = false;
  /// Most operands in the trace have sizes that occur in the model.
  bool elementsCompared_ = false;

  std::span<const Launch> launches_;
  /// Events before this time without a launch were launched before the trace began, by an earlier run of the model.
  int64_t firstLaunchedNs_ = INT64_MIN;
  size_t at_ = kNoPosition;
  // Of the launch at `at_`:
  IdVector<ir::RuleId, std::optional<LaunchMatch>> matches_;
  /// In the spelling for comparison, innermost first.
  std::vector<std::string> operatorNames_;
  /// Operands of all enclosing calls, each sorted.
  std::set<std::vector<int64_t>> dims_;
  /// Operands of the top-level operator, ascending.
  std::vector<int64_t> elementCounts_;
  ModulePlace place_;
};

/// Whether two names mean one operator in a trace and in an export: they are equal, apart from a dimensionality
/// (`conv`, `conv2d`) or a variant of a long name (`batch_norm`, `_native_batch_norm_legit_no_training`).
bool sameOperator(const std::string& a, const std::string& b);

/// Whether two names are similar: they are equal, or one is a prefix of the other and at least four characters long
/// (`conv`, `conv2d`).
bool readAlike(const std::string& a, const std::string& b);

/// Confidence of one bound event: the sum of its evidence, less its contradictions (docs/passes/trace-bind.md).
uint16_t confidence(ir::EvidenceSet evidence, int contradictions);

}  // namespace amdahlc::binding

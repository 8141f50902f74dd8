/// What passes add to a module: candidates and covers (fuse), bindings (trace-bind), times (timing), paths (critical-path) and
/// scenarios (speedup-rewrite). Plain data; times are totals in ns over the selected iterations, divided only by reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/ids.h"
#include "ir/rules.h"
#include "ir/selectors.h"
#include "support/rational.h"
#include "support/source.h"
#include "timeline/timeline.h"

namespace amdahlc::ir {

/// One match of one rule.
struct Candidate {
  RuleId rule;
  uint32_t alternative = 0;  ///< which `match` of the rule
  OpId root;                 ///< matched by the first result
  OpId anchor;               ///< the one whose framework operator launches the kernel
  std::vector<OpId> ops;     ///< ascending
  uint32_t owned = 0;        ///< operators that are neither views nor hidden: the size that choosing compares
  /// Captured and defined values: (index in the pattern's values, value), ascending.
  std::vector<std::pair<uint32_t, ValueId>> values;
  std::vector<ValueId> results;  ///< values the kernel hands on
  uint32_t component = 0;        ///< candidates that (transitively) share operators have the same component
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// What spoke for binding an event to a kernel.
enum class Evidence : uint8_t { Name = 1, Operator = 2, Shape = 4, Module = 8, Order = 16 };
using EvidenceSet = uint8_t;
std::string toString(
    EvidenceSet evidence);  ///< `name+operator+module`, in the order of the enumerators; empty for none

struct BoundEvent {
  EventIndex event = 0;
  EvidenceSet evidence = 0;
  uint16_t confidencePermille = 0;
  friend bool operator==(const BoundEvent&, const BoundEvent&) = default;
};

/// Facts of a kernel's time in one run: totals over the selected iterations.
struct KernelTime {
  std::vector<int64_t> perIterationNs;  ///< union of the kernel's own events, per selected iteration
  int64_t totalNs = 0;
  int64_t busyWithoutNs = 0;  ///< total busy time with this kernel's events removed
  friend bool operator==(const KernelTime&, const KernelTime&) = default;
};

struct KernelPath {
  bool critical = false;  ///< on the reported path
  int64_t slackNs = 0;    ///< total over the selected iterations
  friend bool operator==(const KernelPath&, const KernelPath&) = default;
};

/// Why a kernel stands as it does, for the IR text and `-Rpass=fuse`.
enum class KernelState : uint8_t {
  Unbound,  ///< before trace-bind, or missed: device work expected and none found (`missReason`)
  Bound,
  NoDeviceWork,  ///< its rule says that it launches nothing (view, shape arithmetic)
  NotExecuted,   ///< in a branch that did not run
};
inline constexpr uint8_t kKernelStateCount = 4;
std::string_view name(KernelState state);  ///< `unbound`, `bound`, `no-device-work`, `not-executed`

struct Kernel {
  KernelId id;
  std::optional<CandidateId> candidate;  ///< none: an operator that no candidate covers (`rule: null`)
  std::vector<OpId> ops;                 ///< anchor first, then ascending
  KernelState state = KernelState::Unbound;
  std::vector<BoundEvent> events;    ///< ascending by event, over all selected iterations
  std::string missReason;            ///< state Unbound after trace-bind
  std::optional<int64_t> tripCount;  ///< control-flow ops after trace-bind, where it could be told
  std::optional<KernelTime> time;
  std::optional<KernelPath> path;
  OpId anchor() const { return ops.front(); }
};

/// Why an event serves no kernel.
struct UnboundEvent {
  EventIndex event = 0;
  std::string category;  ///< report key `class`: `runtime-only`, `no-kernel-left`, `no-rule`, `spill-in`, ...
  std::string scope;     ///< module scope of the launch, where module frames could be joined to scopes; else empty
  std::string reason;    ///< one sentence
  friend bool operator==(const UnboundEvent&, const UnboundEvent&) = default;
};

/// Totals over the selected iterations of a run.
struct RunTimes {
  int64_t iterations = 0;
  int64_t deviceEvents = 0;                      ///< selected events
  std::vector<int64_t> busyNs, wallNs;           ///< per selected iteration
  std::optional<std::vector<int64_t>> windowNs;  ///< none where no annotation encloses
  int64_t deviceNs = 0, boundNs = 0, unboundNs = 0;
  friend bool operator==(const RunTimes&, const RunTimes&) = default;
};

/// One edge label of a join (docs/passes/critical-path.md, "Branches").
struct Branch {
  KernelId join;
  /// Where the ways into the join part (excluded): its immediate dominator. None: a graph input or the virtual entry.
  std::optional<KernelId> from;
  /// Name of that graph input; empty for the virtual entry.
  std::string fromInput;
  /// The predecessor (included). None: a graph input.
  std::optional<KernelId> via;
  /// Name of that graph input.
  std::string viaInput;
  /// Ascending: all kernels of the branch, or the last of them.
  std::vector<KernelId> kernels;
  /// How many kernels the branch has; none together with `sumNs`.
  std::optional<int64_t> kernelCount;
  int64_t pathNs = 0;
  /// None where the sum takes too long to compute; never approximate.
  std::optional<int64_t> sumNs;
  /// Whether `kernels` lists only some.
  bool isCut() const { return kernelCount != static_cast<int64_t>(kernels.size()); }
  friend bool operator==(const Branch&, const Branch&) = default;
};

struct CriticalPath {
  int64_t durationNs = 0;  ///< total over the selected iterations
  std::vector<KernelId> kernels;
  /// Number of distinct longest paths beyond the reported one, saturating.
  int64_t ties = 0;
  friend bool operator==(const CriticalPath&, const CriticalPath&) = default;
};

/// A choice of candidates for one run, and what is known about each of its kernels.
struct Cover {
  std::string name;        ///< `default`, or a trace label
  std::string traceLabel;  ///< empty for `default` before any trace
  IdVector<KernelId, Kernel> kernels;
  std::vector<UnboundEvent> unbound;  ///< ascending by event
  std::optional<RunTimes> times;
  std::optional<CriticalPath> criticalPath;
  std::vector<Branch> branches;
};

struct SpeedupRequest {
  SelectorKind kind = SelectorKind::Any;
  std::string selector;
  /// New time / old time: a speed-up of 2x is 1/2.
  std::optional<Rational> factor;
  /// New time per iteration.
  std::optional<int64_t> fixedNs;
  /// Where it was written (not part of the IR text).
  SourceRange range;
};

/// The prediction for one cover.
struct Prediction {
  std::string cover;
  /// (kernel, new time / old time), ascending; kernels that keep their time are left out.
  std::vector<std::pair<KernelId, Rational>> factors;
  double busyNs = 0;  ///< total over the selected iterations, exact up to the last division
  double wallNs = 0;
  /// Path with the scenario's times; total over the selected iterations.
  double pathNs = 0;
  std::vector<KernelId> path;
};

/// A named set of new times. Measured facts are never overwritten.
struct Scenario {
  std::string name;
  std::vector<SpeedupRequest> requests;
  std::vector<Prediction> predictions;  ///< one per cover with a trace, in cover order; empty before speedup-rewrite
};

}  // namespace amdahlc::ir

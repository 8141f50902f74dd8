/// The facet `bound`: the device events of each kernel, and why other events belong to none. Established by the pass
/// `trace-bind`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/facets/facet.h"
#include "ir/ids.h"
#include "ir/reasons.h"
#include "replay/timeline/forward_groups.h"
#include "replay/timeline/timeline.h"

namespace amdahlc::ir {

/// Kinds of evidence that an event ran a kernel.
enum class Evidence : uint8_t {
  Name = 1,
  Operator = 2,
  Shape = 4,
  Module = 8,
  Order = 16,
  /// The event names a node of the kernel.
  Node = 32,
  /// A call of the kernel launched it: the graph is the program of the run.
  Call = 64,
};
using EvidenceSet = uint8_t;
/// `name+operator+module`, in the order of the enumerators; empty for none.
std::string describe(EvidenceSet evidence);

struct BoundEvent {
  EventIndex event = 0;
  EvidenceSet evidence = 0;
  uint16_t confidencePermille = 0;
  friend bool operator==(const BoundEvent&, const BoundEvent&) = default;
};

/// The state of a kernel in a run.
enum class KernelState : uint8_t {
  /// Missed: device work was expected but not found (`missReason`).
  Unbound,
  Bound,
  /// Its rule says that it launches nothing (view, shape arithmetic).
  NoDeviceWork,
  /// In a branch that did not run.
  NotExecuted,
  /// Some event may belong to it, but none does with enough probability.
  Ambiguous,
};
/// By state, in IR text.
inline constexpr std::string_view kKernelStates[] = {"unbound", "bound", "no-device-work", "not-executed", "ambiguous"};
/// In IR text: `unbound`, otherwise as in reports.
constexpr std::string_view keyword(KernelState state) { return kKernelStates[static_cast<size_t>(state)]; }
/// In reports: `missed`, `bound`, `no-device-work`, `not-executed`, `ambiguous`. The first has two words: in IR text it
/// is the opposite of `bound`, and existing text has it; reports count such a kernel as missed, like its nodes.
constexpr std::string_view name(KernelState state) { return state == KernelState::Unbound ? "missed" : keyword(state); }
/// Whether the model and the rules alone give the state.
constexpr bool isKnownWithoutTrace(KernelState state) { return state == KernelState::NoDeviceWork; }

struct KernelBinding {
  KernelState state = KernelState::Unbound;
  /// Ascending by event, over all selected iterations.
  std::vector<BoundEvent> events;
  /// Set in state `Unbound`.
  std::optional<MissReason> missReason;
  /// Set for control-flow operators if it could be determined.
  std::optional<int64_t> tripCount;
  friend bool operator==(const KernelBinding&, const KernelBinding&) = default;
};

/// What the trace records beside the events.
struct RecordedEvidence {
  bool operators = false, shapes = false, frames = false, marks = false;
  /// The names of the nodes that an event ran.
  bool nodes = false;
  /// The graph is the program of the run, so that the trace has all its calls.
  bool calls = false;
  /// What an event ran is stated: nothing was aligned and weighed.
  bool isStated() const { return nodes || calls; }
  friend bool operator==(const RecordedEvidence&, const RecordedEvidence&) = default;
};

/// How well the trace fits the model as a whole.
struct ModelFit {
  /// Whether the trace is one of this model.
  bool fits = false;
  /// Forwards of the model in all selected iterations together.
  int64_t forwards = 0;
  /// Evidence per call of the model, in thousandths of a bit; 0 if the events name nodes.
  int64_t millibitsPerCall = 0;
  /// In thousandths: calls inside the model that are explained, and units of the graph that must launch and did in a
  /// forward, both by weight of evidence; and the weights of the model whose dimensions occur in the trace, if it has
  /// shapes.
  uint16_t callsPermille = 0, unitsPermille = 0;
  std::optional<uint16_t> weightsPermille;
  RecordedEvidence evidence;
  /// The rules bind by kernel names and order only: nothing was tested, and `fits` means nothing.
  bool namesOnly = false;
  friend bool operator==(const ModelFit&, const ModelFit&) = default;
};

/// In IR text and CSV: `fits`, `differs`, `untested`.
std::string_view name(const ModelFit& fit);

/// An event that belongs to no kernel.
struct UnboundEvent {
  EventIndex event = 0;
  /// That of the launch's module; else, of a foreign event, what is recorded around its call; else the root.
  ScopeId scope = kRootScope;
  UnboundReason reason;
  friend bool operator==(const UnboundEvent&, const UnboundEvent&) = default;
};

/// The loop in whose body a graph is, around any `If`; `kNone` outside of loops.
OpId loopAround(const Module& module, GraphId graph);
/// By operator the trips of loops in an iteration, those of loops around them included; nullopt where they are unknown,
/// and for other operators.
IdVector<OpId, std::optional<int64_t>> tripsOfLoops(const Module& module, const Cover& cover);

struct BoundFacet {
  static constexpr Facet kFacet = Facet::Bound;

  /// Always there in a verified module.
  std::optional<ModelFit> fit;
  IdVector<KernelId, KernelBinding> kernels;
  /// Ascending by event. With the states Ambiguous to Unknown.
  std::vector<UnboundEvent> unbound;
  /// Where an iteration has several forwards of the model: the first and the last event of each forward, in order.
  /// Empty where every iteration has one at most, and where it is not known.
  std::vector<ForwardExtent> forwards;

  void print(TextWriter& out, const FacetOwner& owner) const;
  void parseStatement(TextReader& in, const FacetOwner& owner);
  void verify(const FacetOwner& owner, CoverReporter& reporter) const;
  friend bool operator==(const BoundFacet&, const BoundFacet&) = default;
};

/// By event of the run: the kernel that it is bound to; `kNone` for an event without one, and for one that is not
/// selected.
std::vector<KernelId> eventOwners(const Timeline& timeline, const BoundFacet& facts);

}  // namespace amdahlc::ir

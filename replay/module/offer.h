/// The changes of one run that a page offers: each with what it selects there, so that nothing of the model is needed
/// to make it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/scenario/run_scenario.h"
#include "replay/scenario/timed_group.h"

namespace amdahlc {

/// What a change is about.
enum class ChangeSubject : uint8_t {
  // New times. Kernels may be removed as well, be launched as graphs, and move to another stream.
  Kernels,
  Device,
  Phase,
  Forwards,
  Host,
  Launches,
  HostWork,
  // Changes that take no time.
  Batch,
  Fused,
  Copies,
  /// All launches as graphs.
  AllLaunches,
  /// Waits of the host, which take no time.
  Waits,
};
/// Whether the subject can be changed in this way.
bool takes(ChangeSubject subject, ChangeOrder order);

struct OfferedChange {
  ChangeSubject subject = ChangeSubject::Kernels;
  /// The phase, the group of forwards, or the place of the batch. Of kernels 1 where they cannot have a new time
  /// together, because several selectors select them.
  uint32_t value = 0;
  /// Of work of the host.
  std::string name = {};
  /// Of `Kernels`, ascending.
  std::vector<KernelId> kernels = {};
  /// Of `Fused`: the fused kernels without a change of the batch, and then with each batch.
  std::vector<std::vector<FusedGroup>> fused = {};
  /// Of `Waits`, ascending: the calls.
  std::vector<HostEventId> waits = {};
};

/// The group of a change with a new time, as searches take it. Kernels without time are left out.
TimedGroup timedGroupOf(const OfferedChange& change, const ScenarioRun& run);

/// A batch that is so many times as large.
struct OfferedBatch {
  Rational ratio;
  /// New time / old time by kernel; nullopt where it is not known.
  std::vector<std::optional<Rational>> factors;
};

struct Offer {
  std::vector<OfferedChange> changes;
  std::vector<OfferedBatch> batches;
  /// Places of the changes that goals, curves and tornados look at: labels of kernels, those with the most time
  /// first, and then those of the host.
  std::vector<uint32_t> groups = {};
  /// Of a run that is replayed.
  KernelNeeds needs = {};
  /// Reported ones, at least 1.
  int64_t iterations = 1;
};

/// A place in `Offer::changes`, how it is changed, and new time / old time where that takes one.
struct ChosenChange {
  uint32_t change;
  ChangeOrder order;
  Rational factor;
  /// Of a new time of kernels: in ns and per iteration, instead of the factor. Of a move: the stream; a new one
  /// without.
  std::optional<int64_t> number = std::nullopt;
};
/// Whether the offer has the change, and takes it so.
bool takes(const Offer& offer, const ChosenChange& chosen);

/// Why changes do not go together.
enum class Conflict : uint8_t {
  None,
  /// Two changes fuse one kernel: what the larger kernel takes is not in the page.
  SharedKernels,
  /// Two changes of the batch.
  SeveralBatches,
  /// A fused kernel, or the run, could take more than `limits::kTimeNs`.
  TooLong,
  /// A change fuses kernels of which others leave at most one in each group.
  NothingToFuse,
  /// Kernels move to a stream that the run does not have.
  NoStream,
};

/// Makes the changes in `scenario`, which has none yet. Of new times of one kernel the later one counts.
/// Precondition: they are in the offer, and it takes them.
Conflict make(std::span<const ChosenChange> chosen, const Offer& offer, RunScenario& scenario);

}  // namespace amdahlc

/// The changes of one run that a page offers: each with what it selects there, so that nothing of the model is needed
/// to make it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/scenario/run_scenario.h"

namespace amdahlc {

/// What a change is about.
enum class ChangeSubject : uint8_t {
  // New times. Kernels may be removed as well, and be launched as graphs.
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
};
/// Whether the subject can be changed in this way. Nothing of a page is a `Move`.
bool takes(ChangeSubject subject, ChangeOrder order);

struct OfferedChange {
  ChangeSubject subject = ChangeSubject::Kernels;
  /// The phase, the group of forwards, or the place of the batch.
  uint32_t value = 0;
  /// Of work of the host.
  std::string name = {};
  /// Of `Kernels`, ascending.
  std::vector<KernelId> kernels = {};
  /// Of `Fused`: the fused kernels without a change of the batch, and then with each batch.
  std::vector<std::vector<FusedGroup>> fused = {};
};

/// A batch that is so many times as large.
struct OfferedBatch {
  Rational ratio;
  /// New time / old time by kernel; nullopt where it is not known.
  std::vector<std::optional<Rational>> factors;
};

struct Offer {
  std::vector<OfferedChange> changes;
  std::vector<OfferedBatch> batches;
};

/// A place in `Offer::changes`, how it is changed, and new time / old time where that takes one.
struct ChosenChange {
  uint32_t change;
  ChangeOrder order;
  Rational factor;
};

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
};

/// Makes the changes in `scenario`, which has none yet. Of new times of one kernel the later one counts.
/// Precondition: they are in the offer, and it takes them.
Conflict make(std::span<const ChosenChange> chosen, const Offer& offer, RunScenario& scenario);

}  // namespace amdahlc

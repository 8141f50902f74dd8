/// How the changes of a scenario go together in one run: exact factors, and what a replay does in another way. The
/// command resolves its selectors to kernels and calls this; the page calls it with kernels that were resolved before.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "replay/scenario/kernel_factors.h"
#include "replay/scenario/kernel_needs.h"
#include "replay/schedule/prediction.h"
#include "replay/schedule/program_changes.h"

namespace amdahlc {

/// The order in which changes are made, whatever their places in a scenario: the time of a fused kernel is that of its
/// parts with their new times. It is the order of ir/changes.def.
enum class ChangeOrder : uint8_t { NewTime, Batch, Remove, Fuse, OverlapCopies, Move, Graph };

/// The kernels of a run, and what is needed to change it.
struct ScenarioRun {
  EventKeys events;
  /// Measured, in the reported iterations.
  IdVector<KernelId, int64_t> kernelNs;
  /// The phase of most of the time of each kernel; nullopt of one without time.
  IdVector<KernelId, std::optional<Phase>> phases;
  /// How many groups of forwards there are; 0 where they are not known.
  size_t forwardGroups = 0;

  friend bool operator==(const ScenarioRun&, const ScenarioRun&) = default;
};

/// What a scenario changes in one run.
struct RunChanges {
  /// Of the device work, by kernel.
  DeviceFactors device;
  /// All else. A predictor adds the factors of events.
  schedule::Changes other = {};
};

/// A kernel that becomes a part of a fused one, and what it saves: the time of the bytes that stay inside at the
/// bandwidth of memory, and at most their share of its own time.
struct FusedPart {
  KernelId kernel;
  int64_t insideBytes = 0;
  /// All that it reads and writes; 0 if it saves nothing.
  int64_t bytes = 0;
  /// The time of the bytes inside, over all runs in the reported iterations.
  double memoryNs = 0;

  /// What is saved of a kernel of `ownNs`, over all its runs.
  int64_t savedNs(int64_t ownNs) const;
};

struct FusedGroup {
  /// In the order of kernels.
  std::vector<FusedPart> parts;
  /// The least time of the fused kernel over all runs in the reported iterations; 0 if it is not known.
  int64_t leastNs = 0;
};

/// A scenario in one run. Its changes must be made in the order of `ChangeOrder`; among new times the later one counts.
class RunScenario {
 public:
  /// Nothing is changed yet. Both must outlive it. Without a model, because the run is not replayed, changes that only
  /// a replay knows do nothing.
  RunScenario(const ScenarioRun& run, const schedule::RunModel* model);

  const RunChanges& changes() const { return changes_; }
  RunChanges finish() && { return std::move(changes_); }

  /// Measured, in the reported iterations.
  int64_t timeOf(KernelId kernel) const { return run_.kernelNs[kernel]; }
  /// Whether it has time, and is not removed.
  bool runs(KernelId kernel) const { return timeOf(kernel) > 0 && !changes_.device.kernels[kernel].isZero(); }
  /// The events of kernels.
  schedule::EventSet eventsOf(std::span<const KernelId> kernels) const;

  // New times.
  void setKernel(KernelId kernel, const Rational& factor) { changes_.device.kernels[kernel] = factor; }
  /// So long in each of the reported iterations. False, and nothing changes, if it took no time and shall take some.
  bool setKernelNs(KernelId kernel, int64_t ns, int64_t iterations);
  /// All device work, bound or not.
  void setDevice(const Rational& factor);
  /// The device work of a phase, bound or not.
  void setPhase(Phase phase, const Rational& factor);
  /// The device work of a group of forwards, besides the factors of kernels and phases.
  void setForwards(size_t group, const Rational& factor);
  void setHost(const Rational& factor) { changes_.other.host = factor; }
  void setLaunches(const Rational& factor) { changes_.other.launches = factor; }
  void setHostWork(std::string_view name, const Rational& factor);
  void dropWaits(std::string_view name);
  void dropWaits(std::span<const HostEventId> waits);

  /// All changes of the batch together. A kernel whose factor is not known takes as many times as long, as what has no
  /// kernel does. Returns of how many kernels with time that is so.
  size_t setBatch(const Rational& batch, const std::function<std::optional<Rational>(KernelId)>& factorOf);

  /// Kernels do not run.
  void remove(std::span<const KernelId> kernels);

  /// Of each group those kernels that run become one: the kernel that runs last takes the time of all, and the others
  /// are removed. No kernel is in two groups. False if a fused kernel takes more than `limits::kTimeNs`.
  bool fuse(std::span<const FusedGroup> groups);

  void overlapCopies();
  /// Kernels run in the stream of this number, or in a new one. False if the run has no such stream.
  bool move(std::span<const KernelId> kernels, std::optional<int64_t> stream, const KernelNeeds& needs);
  /// All launches of these events are graphs.
  void capture(const schedule::EventSet& events);
  /// All events of the iterations that count, bound or not.
  schedule::EventSet allEvents() const;

 private:
  bool fuse(const FusedGroup& group, std::vector<KernelId>& removed);
  /// The kernel of which an event begins last.
  KernelId lastOf(std::span<const KernelId> kernels);

  const ScenarioRun& run_;
  const schedule::RunModel* model_;
  RunChanges changes_;
  /// By kernel its last event; empty until it is needed.
  IdVector<KernelId, EventIndex> lastEvents_;
};

/// nullopt if a time could exceed `limits::kTimeNs`. With `keepsIdle` by arithmetic, also of a run that is replayed.
std::optional<schedule::PredictedTimes> predict(const schedule::Predictor& predictor, const EventKeys& events,
                                                const RunChanges& changes, bool keepsIdle = false);

}  // namespace amdahlc

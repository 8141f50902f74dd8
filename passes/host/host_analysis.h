/// The analysis `host`: what the operators and calls of the host cost, and what the streams of the device do. The pass
/// `host` shows it. Names are symbols of the run's timeline. Times of
/// streams are sums over the reported iterations; overheads are of all selected ones.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/module.h"
#include "passes/manager/analysis.h"
#include "runs/kernel_families/kernel_families.h"
#include "support/absence.h"
#include "support/string_pool.h"

namespace amdahlc {

/// Of samples that may be negative, because the cost of recording is subtracted.
struct SampleStatistics {
  int64_t count = 0;
  /// The mean and the median are rounded half to even.
  int64_t meanNs = 0;
  int64_t medianNs = 0;
  /// Of the population.
  double standardDeviationNs = 0;
  /// Beyond 64 bits the nearest number that fits.
  int64_t totalNs = 0;
  int64_t minNs = 0, maxNs = 0;
  /// The lower and the upper quartile, as `quartile` computes them.
  int64_t q1Ns = 0, q3Ns = 0;
  /// The furthest samples that are within 1.5 (q3 - q1) of the quartiles, and at least the quartiles themselves
  /// (J. W. Tukey, "Exploratory Data Analysis", 1977).
  int64_t lowerWhiskerNs = 0, upperWhiskerNs = 0;
  /// Samples beyond 1.5 (q3 - q1), below and above.
  int64_t outside = 0;
  friend bool operator==(const SampleStatistics&, const SampleStatistics&) = default;
};

/// All zero for no samples.
SampleStatistics sampleStatistics(std::span<const int64_t> samplesNs);
/// The sum; beyond 64 bits the nearest number that fits.
int64_t saturatedSum(std::span<const int64_t> samplesNs);

/// The overheads of the top-level operators of one name.
struct OperatorOverheads {
  Symbol name;
  int64_t count = 0;
  /// From its start to that of its first launch.
  SampleStatistics t2;
  /// From the end of its last launch to its end.
  SampleStatistics t3;
  /// Between launches.
  SampleStatistics t5;
  friend bool operator==(const OperatorOverheads&, const OperatorOverheads&) = default;
};

struct LaunchOverheads {
  /// Of the call.
  Symbol name;
  SampleStatistics t4;
  friend bool operator==(const LaunchOverheads&, const LaunchOverheads&) = default;
};

/// Spans that fetch input: what runs in them counts for no overhead.
struct DataLoading {
  Symbol name;
  int64_t count = 0;
  int64_t totalNs = 0;
  /// Top-level operators that are left out.
  int64_t operators = 0;
  friend bool operator==(const DataLoading&, const DataLoading&) = default;
};

struct HostOverheads {
  /// Gaps between neighbouring top-level operators of a thread.
  SampleStatistics t1;
  /// These three by name.
  std::vector<LaunchOverheads> launches;
  std::vector<OperatorOverheads> operators;
  std::vector<DataLoading> dataLoading;
  friend bool operator==(const HostOverheads&, const HostOverheads&) = default;
};

/// Device work: a number of events and the sum of their durations.
struct DeviceWork {
  int64_t count = 0;
  int64_t ns = 0;
  DeviceWork& operator+=(const DeviceWork& other) {
    count += other.count;
    ns += other.ns;
    return *this;
  }
  friend bool operator==(const DeviceWork&, const DeviceWork&) = default;
};

struct FamilyWork {
  KernelFamily family = KernelFamily::Other;
  DeviceWork work;
  friend bool operator==(const FamilyWork&, const FamilyWork&) = default;
};

struct NamedKernelWork {
  Symbol name;
  KernelFamily family = KernelFamily::Other;
  DeviceWork work;
  friend bool operator==(const NamedKernelWork&, const NamedKernelWork&) = default;
};

/// The work of the operators of one name that are the innermost around a launch.
struct LaunchingOperator {
  /// Empty: no operator is around the launch, or the trace has no launch.
  Symbol name;
  DeviceWork work;
  std::vector<NamedKernelWork> kernels;
  friend bool operator==(const LaunchingOperator&, const LaunchingOperator&) = default;
};

/// The work of the top-level operators of one name, or of what runs in the data-loading spans of one name.
struct TopOperator {
  /// Empty as above.
  Symbol name;
  DeviceWork work;
  /// Itself, where it launches. They add up to `work`, and so do the kernels.
  std::vector<LaunchingOperator> operators;
  std::vector<NamedKernelWork> kernels;
  friend bool operator==(const TopOperator&, const TopOperator&) = default;
};

/// Events that are launched and have not started.
struct LaunchQueue {
  int64_t longest = 0;
  /// Mean length over wall.
  double mean = 0;
  friend bool operator==(const LaunchQueue&, const LaunchQueue&) = default;
};

/// A stream of the device. Rows with the most device time come first.
struct StreamWork {
  uint32_t track = 0;
  DeviceWork work;
  /// Length of the union of its events, taken per iteration.
  int64_t busyNs = 0;
  /// From the start of the window to the first event, the mean over the iterations with events, rounded half to even;
  /// negative if that was launched before. nullopt without windows.
  std::optional<int64_t> startDelayNs;
  /// nullopt if no event has a launching call.
  std::optional<LaunchQueue> queue;
  /// From the end of the launching call to the start of the event.
  SampleStatistics launchLatency;
  std::vector<FamilyWork> families;
  std::vector<TopOperator> operators;
  friend bool operator==(const StreamWork&, const StreamWork&) = default;
};

struct OverheadOptions {
  /// What one recorded event costs the host.
  int64_t recordingNs = 0;
  /// A launch is a call with one of three names, whether the device ran anything for it or not, as the code beside the
  /// paper has it (`overheads.h`); else every call of the device's runtime that device work came from.
  bool launchesByName = false;
  friend bool operator==(const OverheadOptions&, const OverheadOptions&) = default;
};

struct HostAnalysis {
  static constexpr const char* kName = "host";
  /// The events of a run do not change; `trace-bind` may add runs.
  static constexpr ir::FacetSet kReads{ir::Facet::Bound};
  static constexpr ir::FacetSet kNeeds{ir::Facet::Bound};
  struct Options {
    OverheadOptions overheads;
    /// Samples in an iteration; 0 if it is unknown.
    int64_t batchSize = 0;
    friend bool operator==(const Options&, const Options&) = default;
  };
  HostAnalysis(const ir::Module& module, ir::CoverId cover, AnalysisManager& analyses);

  /// Why there are no overheads and no streams.
  std::optional<Absence> absence;
  /// Why there are no overheads and no streams, or why there are no streams beside the overheads; nullopt if there are
  /// some.
  std::optional<Absence> absenceOfStreams() const;
  /// As in the options.
  int64_t batchSize;
  /// Absent for the same reason, and without operators or calls of the device's runtime.
  Known<HostOverheads> overheads = HostOverheads();
  /// By device and stream.
  std::vector<StreamWork> streams;
  /// At position n the time in which exactly n streams are active. It adds up to wall.
  std::vector<int64_t> concurrencyNs;
  // These two are for streams and for the throughput, and absent where there is neither.
  /// nullopt if a selected iteration has no annotation around it.
  std::optional<int64_t> windowNs;
  /// nullopt without start times.
  std::optional<int64_t> wallNs;

  friend bool operator==(const HostAnalysis&, const HostAnalysis&) = default;
};

}  // namespace amdahlc

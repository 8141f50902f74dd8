/// How the time of an iteration divides into computation, communication and copies.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "replay/runtimes/runtime.h"
#include "replay/timeline/timeline.h"
#include "support/absence.h"
#include "support/statistics.h"
#include "support/string_pool.h"

namespace amdahlc {

/// What a device event is for.
enum class DeviceUse : uint8_t {
  Computation,
  /// Between devices: `isCommunicationKernel`.
  Communication,
  /// Copies and sets of memory.
  Copy,
};

/// Tells the use of events. Each name is looked at once.
class DeviceUses {
 public:
  /// `timeline` must outlive it.
  explicit DeviceUses(const Timeline& timeline);
  DeviceUse of(EventIndex event);

 private:
  const Timeline& timeline_;
  SymbolMemo<bool> communicates_;
};

/// The spans of the host in which input is loaded.
class DataLoadingSpans {
 public:
  /// `timeline` must outlive the object, and have host events.
  explicit DataLoadingSpans(const Timeline& timeline)
      : timeline_(timeline), runtime_(runtimeAdapter(timeline.target.runtime)), isName_(timeline.strings) {}
  bool isSpan(HostEventId event);

 private:
  const Timeline& timeline_;
  const RuntimeAdapter& runtime_;
  SymbolMemo<bool> isName_;
};

/// Of one iteration. Computation + exposed communication + exposed copies + idle = wall, as HolisticTraceAnalysis
/// divides it.
struct TimeBreakdown {
  /// Union of the kernels that compute.
  int64_t computationNs = 0;
  /// Union of the kernels that communicate.
  int64_t communicationNs = 0;
  /// The part of it in which nothing computes.
  int64_t exposedCommunicationNs = 0;
  /// Copies and sets while nothing computes or communicates.
  int64_t exposedCopiesNs = 0;
};

/// Of each iteration, selected or not, in the order of `iterations`. Without a device or without
/// start times they are not known.
Known<std::vector<TimeBreakdown>> timeBreakdowns(const Timeline& timeline);

struct BreakdownStatistics {
  TimeStatistics computation, communication, exposedCommunication, exposedCopies;
  friend bool operator==(const BreakdownStatistics&, const BreakdownStatistics&) = default;
};
/// `reported` is as in `timeOfIterations`.
BreakdownStatistics breakdownStatistics(std::span<const TimeBreakdown> iterations,
                                        std::optional<size_t> reported = std::nullopt);
/// Over the selected iterations.
std::optional<BreakdownStatistics> breakdownStatistics(const Timeline& timeline);

}  // namespace amdahlc

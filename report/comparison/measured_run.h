/// A measured run as plain data, the same from a report in memory and from a report in a file: what two runs are
/// compared by. It names nodes, because two reports have no ids in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/statistics.h"

namespace amdahlc::comparison {

/// For each recording of the run, a time for each selected iteration.
using Samples = std::vector<std::vector<int64_t>>;

/// A time per iteration, as it is compared with another.
struct MeasuredTime {
  /// The median over the iterations of all recordings; without them, the time that the run states.
  int64_t ns = 0;
  /// Empty if they are unknown, and for means, of which no noise is known. All times of a run have as many.
  Samples samplesNs = {};

  MeasuredTime() = default;
  explicit MeasuredTime(int64_t statedNs) : ns(statedNs) {}
  explicit MeasuredTime(Samples samples);
};

struct MeasuredKernel {
  std::string label;
  /// Anchor first.
  std::vector<std::string> nodes;
  /// The module scope; empty for the model itself.
  std::string scope;
  std::string category;
  MeasuredTime time;
  /// It should have launched, and no event is known to be its.
  bool isMissed = false;
};

/// Kernels with a common name, such as a module scope.
struct MeasuredGroup {
  std::string name;
  MeasuredTime time;
};

struct MeasuredRun {
  std::string label;
  /// The file of the report; empty for a run of this one.
  std::string report = {};
  std::string device;
  /// What its times are.
  Average average = Average::Median;
  /// The verdict, if the numbers are not to be trusted, or only with care; else empty.
  std::string distrust, caution;
  /// How often the model ran in an iteration, the mean; nullopt if it is unknown.
  std::optional<double> forwards;
  MeasuredTime busy;
  /// Busy time without what disturbed single events; nullopt if it is unknown, and of means. Its noise is at most that
  /// of `busy`.
  std::optional<int64_t> undisturbedBusyNs = std::nullopt;
  /// nullopt as in the report.
  std::optional<MeasuredTime> wall, window;
  /// Device time of events inside the model of which no kernel is known: those of missed kernels may be among them.
  int64_t unexplainedNs = 0;
  /// Those that have device work, also if it took no time in this run.
  std::vector<MeasuredKernel> kernels;
  std::vector<MeasuredGroup> categories, scopes;
};

/// Runs of an earlier report.
struct Baseline {
  /// As the user gave it.
  std::string file;
  std::vector<MeasuredRun> runs;
};

}  // namespace amdahlc::comparison

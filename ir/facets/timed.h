/// The facet `timed`: the times of each kernel and of the run. Established by the pass `timing`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ir/facets/facet.h"
#include "ir/ids.h"
#include "support/rational.h"
#include "support/statistics.h"

namespace amdahlc::ir {

struct BoundFacet;

/// A kernel's time in one run.
struct KernelTime {
  /// Union of the kernel's own events, per selected iteration.
  std::vector<int64_t> perIterationNs;
  /// As `RunTimes::ofRow` has it.
  int64_t reportedNs = 0;
  /// Undisturbed busy time with this kernel's events removed.
  int64_t busyWithoutNs = 0;
  friend bool operator==(const KernelTime&, const KernelTime&) = default;
};

/// The times of a run.
struct RunTimes {
  /// Those that are selected.
  int64_t iterations = 0;
  /// The place among them of the one that is reported (`ReportedIterations`); nullopt if all are.
  std::optional<size_t> representative;
  /// Selected events.
  int64_t deviceEvents = 0;
  /// Per selected iteration.
  std::vector<int64_t> busyNs;
  /// Per selected iteration; nullopt if the events have no starts.
  std::optional<std::vector<int64_t>> wallNs;
  /// Per selected iteration; nullopt if some iteration has no annotation around it.
  std::optional<std::vector<int64_t>> windowNs;
  /// Per selected iteration: sums of durations, and those of bound events.
  std::vector<int64_t> deviceNs, boundNs;
  /// Busy time of the reported iterations if each event has its factor (`undisturbedFactors`).
  int64_t undisturbedNs = 0;

  /// At least 1, so that sums can be divided by it.
  int64_t reportedIterations() const { return representative || iterations == 0 ? 1 : iterations; }
  /// The sum of a time over the reported iterations.
  int64_t reported(const std::vector<int64_t>& perIterationNs) const {
    return representative ? perIterationNs[*representative] : sum(perIterationNs);
  }
  /// What stands for the time of a kernel or a group in the reported iterations: its median, or its sum over all of
  /// them.
  int64_t ofRow(const std::vector<int64_t>& perIterationNs) const {
    return representative ? lowerMedian(perIterationNs) : sum(perIterationNs);
  }
  friend bool operator==(const RunTimes&, const RunTimes&) = default;
};

/// `undisturbedFactors` of a bound run: by the time of kernels, and of unbound events by their names and places.
std::vector<Rational> undisturbedFactors(const Timeline& timeline, const BoundFacet& facts);

struct TimedFacet {
  static constexpr Facet kFacet = Facet::Timed;

  RunTimes run;
  IdVector<KernelId, KernelTime> kernels;

  /// The times of a bound run, from its events alone.
  static TimedFacet byEvents(const FacetOwner& owner, std::span<const Rational> undisturbed);
  void print(TextWriter& out, const FacetOwner& owner) const;
  void parseStatement(TextReader& in, const FacetOwner& owner);
  void verify(const FacetOwner& owner, CoverReporter& reporter) const;
  friend bool operator==(const TimedFacet&, const TimedFacet&) = default;
};

}  // namespace amdahlc::ir

/// The facet `timed`: the times of each kernel and of the run. Established by the pass `timing`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/facets/facet.h"
#include "ir/ids.h"

namespace amdahlc::ir {

/// A kernel's time in one run.
struct KernelTime {
  /// Union of the kernel's own events, per selected iteration.
  std::vector<int64_t> perIterationNs;
  /// The sum over the selected iterations.
  int64_t totalNs = 0;
  /// Total busy time with this kernel's events removed.
  int64_t busyWithoutNs = 0;
  friend bool operator==(const KernelTime&, const KernelTime&) = default;
};

/// Totals over the selected iterations of a run.
struct RunTimes {
  int64_t iterations = 0;
  /// Selected events.
  int64_t deviceEvents = 0;
  /// Per selected iteration.
  std::vector<int64_t> busyNs;
  /// Per selected iteration; nullopt if the events have no starts.
  std::optional<std::vector<int64_t>> wallNs;
  /// Per selected iteration; nullopt if some iteration has no annotation around it.
  std::optional<std::vector<int64_t>> windowNs;
  int64_t deviceNs = 0, boundNs = 0, unboundNs = 0;
  friend bool operator==(const RunTimes&, const RunTimes&) = default;
};

struct TimedFacet {
  static constexpr Facet kFacet = Facet::Timed;

  RunTimes run;
  IdVector<KernelId, KernelTime> kernels;

  /// The times of a bound run, from its events alone.
  static TimedFacet byEvents(const FacetOwner& owner);
  void print(TextWriter& out, const FacetOwner& owner) const;
  void parseStatement(TextReader& in, const FacetOwner& owner);
  void verify(const FacetOwner& owner, CoverReporter& reporter) const;
  friend bool operator==(const TimedFacet&, const TimedFacet&) = default;
};

}  // namespace amdahlc::ir

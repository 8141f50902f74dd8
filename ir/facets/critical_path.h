/// The facet `critical-path`: the longest path of the kernel graph, slack, and branches. Written by the pass
/// `critical-path`.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ir/facets/facet.h"
#include "ir/ids.h"

namespace amdahlc::ir {

struct KernelPath {
  /// On the reported path.
  bool critical = false;
  /// Of the reported iterations.
  int64_t slackNs = 0;
  friend bool operator==(const KernelPath&, const KernelPath&) = default;
};

/// One edge label of a join (docs/passes/critical-path.md, "Branches").
struct Branch {
  KernelId join;
  /// The immediate dominator of the join (excluded), where the paths into the join part. nullopt for a graph input or
  /// the virtual entry.
  std::optional<KernelId> from;
  /// Name of that graph input; empty for the virtual entry.
  std::string fromInput;
  /// The predecessor (included). nullopt for a graph input.
  std::optional<KernelId> via;
  /// Name of that graph input.
  std::string viaInput;
  /// Ascending: all kernels of the branch, or the last of them.
  std::vector<KernelId> kernels;
  /// Number of kernels of the branch; nullopt if `sumNs` is.
  std::optional<int64_t> kernelCount;
  int64_t pathNs = 0;
  /// nullopt if the sum takes too long to compute. Never approximate.
  std::optional<int64_t> sumNs;
  /// Whether `kernels` lists only some.
  bool isCut() const { return kernelCount != static_cast<int64_t>(kernels.size()); }
  friend bool operator==(const Branch&, const Branch&) = default;
};

/// The number of tied paths saturates here: one less than the number of all longest paths, which saturates.
inline constexpr int64_t kMaxTies = std::numeric_limits<int64_t>::max() - 1;

struct CriticalPathFacet {
  static constexpr Facet kFacet = Facet::CriticalPath;

  /// Of the reported iterations.
  int64_t durationNs = 0;
  /// The reported path, ascending.
  std::vector<KernelId> path;
  /// Number of other longest paths; kMaxTies for as many or more.
  int64_t ties = 0;
  bool tiesAreExact() const { return ties < kMaxTies; }
  IdVector<KernelId, KernelPath> kernels;
  std::vector<Branch> branches;

  void print(TextWriter& out, const FacetOwner& owner) const;
  void parseStatement(TextReader& in, const FacetOwner& owner);
  void verify(const FacetOwner& owner, CoverReporter& reporter) const;
  friend bool operator==(const CriticalPathFacet&, const CriticalPathFacet&) = default;
};

}  // namespace amdahlc::ir

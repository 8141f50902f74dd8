/// The facet `scenarios`: the prediction of each scenario of the module for one run. Established by the pass
/// `speedup-rewrite`.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/facets/stored_facet.h"
#include "ir/ids.h"
#include "support/rational.h"

namespace amdahlc::ir {

/// The prediction of one scenario.
struct Prediction {
  std::string scenario;
  /// (kernel, new time / old time), ascending; without kernels that keep their time.
  std::vector<std::pair<KernelId, Rational>> factors;
  /// Total over the selected iterations, exact up to the last division.
  double busyNs = 0;
  /// nullopt if the events have no starts.
  std::optional<double> wallNs = 0;
  /// Path with the scenario's times; total over the selected iterations.
  double pathNs = 0;
  std::vector<KernelId> path;
  /// New time / old time of events without a kernel.
  Rational unboundFactor{1, 1};
  friend bool operator==(const Prediction&, const Prediction&) = default;
};

struct ScenariosFacet final : FacetOf<ScenariosFacet, Facet::Scenarios> {
  /// One per scenario of the module, in its order.
  std::vector<Prediction> predictions;

  void print(TextWriter& out, const FacetOwner& owner) const override;
  void parseStatement(TextReader& in, const FacetOwner& owner) override;
  void verify(const FacetOwner& owner, CoverReporter& reporter) const override;
  friend bool operator==(const ScenariosFacet&, const ScenariosFacet&) = default;
};

}  // namespace amdahlc::ir

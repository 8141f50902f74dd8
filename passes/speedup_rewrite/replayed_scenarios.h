/// The facet `replayed`: predictions of scenarios by replay. Established by the pass `speedup-rewrite` from host
/// events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/facets/stored_facet.h"

namespace amdahlc {

/// The prediction of one scenario: measured + (replay of the scenario - replay of the unchanged run), over the
/// selected iterations. Iterations may overlap in a replay; that time counts once. A scenario that makes nothing
/// slower delays nothing, and one that makes nothing faster saves nothing: what a selected iteration gains or loses
/// otherwise, an iteration before it that is not selected lost or gained, and it is not predicted.
struct ReplayPrediction {
  std::string scenario;
  /// False if times of the replay would exceed 64 bits; then there are no others.
  bool isKnown = true;
  int64_t busyNs = 0;
  int64_t wallNs = 0;
  /// nullopt if the measured window is not known, or its thread makes no calls.
  std::optional<int64_t> windowNs;
  /// Why the prediction is worth little.
  enum class Caution : uint8_t {
    None,
    /// It saves, or costs, less than the replay of the unchanged run is off.
    WithinError,
    /// Too much of the run waits for what the trace does not explain.
    Unexplained,
    /// The replay of the unchanged run is too far off.
    Inexact,
    /// The host is done before the device has worked as long: where iterations follow one another, the window is not
    /// what an iteration takes.
    HostAhead,
  };
  Caution caution = Caution::None;
  friend bool operator==(const ReplayPrediction&, const ReplayPrediction&) = default;
};

/// As a clause; empty for `None`.
inline std::string_view text(ReplayPrediction::Caution caution) {
  switch (caution) {
    case ReplayPrediction::Caution::None:
      return {};
    case ReplayPrediction::Caution::WithinError:
      return "the change is smaller than the error of the replay";
    case ReplayPrediction::Caution::Unexplained:
      return "more than 5 % of wall are waits that the trace does not explain";
    case ReplayPrediction::Caution::Inexact:
      return "the replay of the unchanged run is more than 5 % off";
    case ReplayPrediction::Caution::HostAhead:
      return "the host no longer waits for the device: in a loop, an iteration takes at least the busy time, not the "
             "window";
  }
  return {};
}

struct ReplayedFacet final : ir::TransientFacetOf<ReplayedFacet, ir::Facet::Replayed> {
  /// One per scenario of the module, in its order; empty for a run that cannot be replayed.
  std::vector<ReplayPrediction> predictions;
  friend bool operator==(const ReplayedFacet&, const ReplayedFacet&) = default;
};

}  // namespace amdahlc

/// What the traces of all ranks tell of the one that is advised.
#pragma once

#include <cstdint>
#include <optional>

namespace amdahlc {

/// The front end asks the analysis manager for it before the passes run (`AnalysisManager::request`), because a
/// comparison of ranks is no part of the module.
struct RankWaits {
  /// Times are means per step, in ns.
  struct Options {
    int64_t rank = 0;
    /// The rank for which the others wait; nullopt if there is none.
    std::optional<int64_t> straggler = std::nullopt;
    int64_t wallNs = 0;
    /// Of `communicationNs`, the time in which the rank waits for others, and the part of it in which nothing computes.
    int64_t waitNs = 0, exposedWaitNs = 0;
    int64_t communicationNs = 0, exposedCommunicationNs = 0;
    /// Of this rank, and the mean of all.
    int64_t computationNs = 0, meanComputationNs = 0;

    /// Whether several ranks were compared; else nothing of it is known.
    bool isKnown() const { return wallNs > 0; }
    friend bool operator==(const Options&, const Options&) = default;
  };
};

}  // namespace amdahlc

/// The phases of the work of a run: forward and backward pass, optimizer, and what is beside them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace amdahlc {

/// In order of precedence: what is in several phases counts for the first of them. docs/phases.md defines them.
enum class Phase : uint8_t {
  /// Operations between ranks, whatever calls them.
  Communication,
  /// The update of the weights, and what it needs.
  Optimizer,
  Backward,
  /// Loads and prepares input.
  Data,
  /// All other calls, the loss included.
  Forward,
  /// The trace does not tell what called it.
  Other,
};
inline constexpr size_t kPhaseCount = static_cast<size_t>(Phase::Other) + 1;

/// In order of precedence.
inline constexpr std::array<std::string_view, kPhaseCount> kPhaseNames = {"communication", "optimizer", "backward",
                                                                          "data",          "forward",   "other"};
/// As in reports: `backward`.
constexpr std::string_view name(Phase phase) { return kPhaseNames[static_cast<size_t>(phase)]; }

/// The phase that the words of an annotation state, whatever the runtime: `## backward ##`, `forward`. `Other` for
/// words that state none, or a part of a phase (`## forward:sparse_arch ##`).
Phase phaseStatedBy(std::string_view annotation);

}  // namespace amdahlc

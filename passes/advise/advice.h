/// What to change in a run, and what it saves.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/selectors.h"

namespace amdahlc {

enum class AdviceKind : uint8_t {
  /// Somebody can do it: a call, an option or a module changes.
  Change,
  /// The kernels are away from what the device allows; nothing says how to bring them there.
  Bound,
};
/// `change`, `bound`
std::string_view name(AdviceKind kind);

/// What a change saves by itself, in ns over the reported iterations; negative if it helps only after others.
struct Saving {
  /// Of what vanishes: launches, and traffic at the bandwidth of memory.
  int64_t certainNs = 0;
  /// With what is left at the rates that this run reaches.
  int64_t likelyNs = 0;
  /// With what is left at its roof; without a known roof, if it took no time.
  int64_t atMostNs = 0;
  friend bool operator==(const Saving&, const Saving&) = default;
};

/// Times over the reported iterations: measured or predicted.
struct AdvisedTimes {
  /// Of a run without it, busy time.
  int64_t wallNs = 0;
  /// nullopt where it is not known.
  std::optional<int64_t> windowNs;
  /// The time of an iteration, by which changes are judged: wall time leaves out what the host does before its first
  /// launch and after the last event, and the window what the device still does when the host is done.
  int64_t longerNs() const { return std::max(wallNs, windowNs.value_or(0)); }
  friend bool operator==(const AdvisedTimes&, const AdvisedTimes&) = default;
};

/// Whether an undisturbed time differs so much from the measured one that who compares them must see both.
bool isUndisturbed(int64_t undisturbedNs, int64_t measuredNs);
/// With fewer iterations nobody sees that one of them was disturbed, and nothing tells their noise: of two, the lower
/// median is the lesser one.
inline constexpr int64_t kFewestIterations = 3;
/// `the window`, `wall time`, `busy time`, or, with what each kernel takes in the median of so many iterations, `the
/// undisturbed window`, and of fewer than `kFewestIterations` `the best-case window`.
std::string_view nameOfTime(bool isWindow, bool hasWall, bool isUndisturbed, int64_t iterations);

struct Advice {
  AdviceKind kind = AdviceKind::Change;
  /// As `-what-if=` takes it; empty where that cannot say it. Of a bound without a new time.
  std::string selector;
  /// Of a change that makes kernels one: what selects them.
  std::vector<ir::Selector> fused;
  /// What to do, as a phrase.
  std::string change;
  std::string why;
  /// Module scopes in which kernels change, those with the most time first; empty where no kernel does, or where
  /// nothing has a scope.
  std::vector<std::string> places;
  /// Of the time of an iteration.
  Saving saving;
  /// Of wall time; of a run without it, of busy time.
  Saving wall;
  /// Of the window; nullopt where it is not known.
  std::optional<Saving> window;
  /// After all changes before it in the list, each as likely, and after it: as likely, or if the bound is reached. Over
  /// the reported iterations.
  AdvisedTimes left;
  /// It likely saves, or a bound saves at most, no more than the noise of the run: whoever measures it must do so more
  /// often. False where the noise is not known, and of advice to measure again.
  bool isWithinNoise = false;
  /// What the prediction rests on; empty for nothing in particular.
  std::string assumption;
  friend bool operator==(const Advice&, const Advice&) = default;
};

}  // namespace amdahlc

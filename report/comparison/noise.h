/// Whether two times differ, or noise explains the difference. Whatever compares measured times asks here, and has its
/// marks and legend from here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/comparison/measured_run.h"

namespace amdahlc::comparison {

enum class Change : uint8_t {
  /// The 95 % Welch interval of the difference contains 0.
  WithinNoise,
  Faster,
  Slower,
  /// A side has fewer than three iterations, or its spread is unknown.
  NoiseUnknown,
  /// The runs are not comparable.
  NotJudged,
};
/// `within-noise`, `faster`, `slower`, `noise-unknown`, and nothing of `NotJudged`.
std::string_view name(Change change);
/// Where a table shows a time that is not known to differ: `~` or `?`; else empty.
std::string_view mark(Change change);

struct Judgement {
  Change change = Change::NoiseUnknown;
  /// Of after - before, in nanoseconds, if the noise is known.
  std::optional<RealInterval> intervalNs = std::nullopt;
};

/// A missing side is one whose noise is unknown.
Judgement judge(const std::optional<MeasuredTime>& before, const std::optional<MeasuredTime>& after);

inline constexpr std::string_view kNoiseUnknown =
    "the noise is unknown, because a side has fewer than three iterations or only means";

/// A line for each mark of a table that shows these changes. `before` names what they are measured against, such as
/// ` of the best`.
std::string legendOf(const std::vector<Change>& shown, std::string_view before = "");

}  // namespace amdahlc::comparison

/// Whether two times differ, or noise explains the difference. Whatever compares measured times asks here, and has its
/// marks and legend from here. docs/comparing-runs.md explains the statistics.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/comparison/measured_run.h"

namespace amdahlc::comparison {

enum class Change : uint8_t {
  WithinNoise,
  /// Beyond noise.
  Faster,
  Slower,
  /// A side has fewer than three iterations, or its iterations are unknown.
  NoiseUnknown,
  /// Work of the row may be in unexplained time of a run, so that the row may take longer there than is known.
  Unknown,
  /// The runs are not comparable.
  NotJudged,
};
/// `within-noise`, `faster`, `slower`, `noise-unknown`, `unknown`, and nothing of `NotJudged`.
std::string_view name(Change change);
/// Where a table shows a time that is not known to differ: `~` or `?`; else empty.
std::string_view mark(Change change);

/// Differences of at most this many percent of the shorter time are drift unless both sides have three recordings:
/// iterations of one recording share clock, temperature and placement, which no statistic over them sees.
inline constexpr int64_t kDriftPercent = 5;

struct RatioInterval {
  double low = 1, high = 1;
};

struct Judgement {
  Change change = Change::NoiseUnknown;
  /// The 95 % interval of after / before, if the noise is known.
  std::optional<RatioInterval> ratio = std::nullopt;
};

/// The times of a row.
struct TwoTimes {
  const MeasuredTime& before;
  const MeasuredTime& after;
};

/// A judgement for each row of a table. The rows are judged together: of those that are called faster or slower, at
/// most 5 % are expected to be noise (Y. Benjamini, Y. Hochberg, "Controlling the false discovery rate", Journal of the
/// Royal Statistical Society B 57, 1995).
std::vector<Judgement> judge(std::span<const TwoTimes> rows);

inline constexpr std::string_view kNoiseUnknown =
    "the noise is unknown, because a side has fewer than three iterations or only means";

/// A line for each mark of a table that shows these changes. `before` names what they are measured against, such as
/// ` of the best`.
std::string legendOf(const std::vector<Change>& shown, std::string_view before = "");

}  // namespace amdahlc::comparison

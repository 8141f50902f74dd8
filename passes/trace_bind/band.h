/// The band of positions that an alignment visits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "passes/trace_bind/align.h"
#include "passes/trace_bind/anchors.h"

namespace amdahlc::binding {

/// Options of a call that begin at a position in [low, high].
std::span<const Option> optionsIn(std::span<const Option> options, uint32_t low, uint32_t high);

/// All positions after each call.
Band fullBand(const Program& program, size_t calls);
/// Positions around the line through a chain of anchors, `width` on both sides.
Band bandAroundAnchors(const Program& program, size_t calls, std::vector<Anchor> chain, uint32_t width);

/// Where the calls go through the body of a loop again and again.
struct Trips {
  Program::Loop loop;
  /// The first call of each trip, and where the last one ends if it is as long as the one before.
  std::vector<size_t> begins;
};

/// The trips of the largest loop, where the calls repeat (`repetitions`); nullopt where they do not.
std::optional<Trips> tripsOf(const Program& program, std::span<const AlignedCall> calls);
/// Positions around the lines through the calls before the trips, each trip, and the calls behind them, `width` on both
/// sides; near the begin of a trip, the whole body.
Band bandAlongTrips(const Program& program, size_t calls, const Trips& trips, uint32_t width);

/// Cells of a row.
inline int64_t widthOf(const Band& band, size_t row) { return int64_t{band.high[row]} - band.low[row] + 1; }
/// The first row of each block of at most `cells` cells, or of one row; then the number of rows.
std::vector<size_t> blocksOf(const Band& band, int64_t cells);

}  // namespace amdahlc::binding

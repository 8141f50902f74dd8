/// The band of positions that an alignment visits.
#pragma once

#include <span>

#include "passes/trace_bind/align.h"

namespace amdahlc::binding {

/// Options of a call that begin at a position in [low, high].
std::span<const Option> optionsIn(std::span<const Option> options, uint32_t low, uint32_t high);

/// All positions after each call.
Band fullBand(const Program& program, size_t calls);
/// Positions around the line through the anchors, `width` on both sides.
Band bandAroundAnchors(const Program& program, std::span<const AlignedCall> calls, uint32_t width);

}  // namespace amdahlc::binding

/// Figures of the liveness of tensors, as SVG.
#pragma once

#include <cstdint>
#include <string>

#include "ir/module.h"
#include "passes/liveness/liveness.h"

namespace amdahlc {

/// What a figure is of.
struct FigureInput {
  const ir::Module& module;
  const ir::Cover& cover;
  const Liveness& liveness;
  /// Of the run; 1 without one.
  int64_t iterations = 1;
};

/// Live bytes over the time of an iteration, and what the framework's allocator recorded, if the trace has that.
std::string memoryFigure(const FigureInput& input);

/// Inactive periods: their lengths against the sizes of the tensors, and how many are at most so long. `bytesPerS` is
/// how fast tensors are moved away.
std::string periodFigure(const FigureInput& input, int64_t bytesPerS);

}  // namespace amdahlc

/// The output `curves`: the points of all curves of a run, as CSV.
#pragma once

#include <string>

#include "passes/manager/output_kind.h"

namespace amdahlc {

/// One row for each point.
std::string writeCurvesTable(const OutputContext& context, ir::CoverId cover);

/// `2`, `1.5`, `inf`: so many times as fast.
std::string speedupText(const Rational& factor);

}  // namespace amdahlc

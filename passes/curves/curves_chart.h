/// The output `curves-svg`: the curves of a run as a picture.
#pragma once

#include <string>

#include "passes/manager/output_kind.h"

namespace amdahlc {

/// A plot for each curve, of all times that are known, over the part of the group's time that is removed.
std::string writeCurvesChart(const OutputContext& context, ir::CoverId cover);

}  // namespace amdahlc

/// What the operators and launch calls of the host cost beside the device's work: the overheads T1 to T5 of the
/// performance model of Zhongyi Lin, Louis Feng, Ehsan K. Ardestani and others, "Building a Performance Model for Deep
/// Learning Recommendation Model Training on GPUs", 2022.
#pragma once

#include <cstdint>

#include "passes/host/host_analysis.h"
#include "passes/host/host_iterations.h"
#include "passes/host/operator_nesting.h"

namespace amdahlc {

/// Whether the trace tells overheads: it has operators, and calls of the device's runtime.
bool hasOverheads(const Timeline& timeline);

/// Over the selected iterations and all threads. O(n log n).
HostOverheads hostOverheads(const Timeline& timeline, const OperatorNesting& nesting, const HostIterations& iterations,
                            const OverheadOptions& options);

}  // namespace amdahlc

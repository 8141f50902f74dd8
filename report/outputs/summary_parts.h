/// What the two summaries share: how they name runs, and how they compare two of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/comparison/compare.h"
#include "report/outputs/output.h"
#include "report/report.h"

namespace amdahlc {

/// `encoder.onnx on encoder.trace.json.gz (cpu)`: the model, the trace, and the device. Printable.
std::string describeRun(const RunReport& run, const TextStyle& style);

/// How many nodes a model has of which no kernel is known. Printable.
std::string describeWithoutKernels(const ir::Module& module, const TextStyle& style);
/// How many kernels a run without a trace has, and why it has no times.
std::string describeWithoutTimes(const RunReport& run);

/// Whether the two runs of the report are to be compared: two devices of one trace are not.
bool isBeforeAndAfter(const Report& report);

/// The label, and the report that it is in. Printable.
std::string runName(const comparison::MeasuredRunName& run);

std::optional<int64_t> nsOf(const std::optional<comparison::MeasuredTime>& time);
/// `+1.2 %`; empty where a side is missing.
std::string changeOf(const comparison::Difference& row);
/// `gone`, `new`, `faster`, or the sign of a change that noise may explain.
std::string_view markOf(const comparison::Difference& row);

}  // namespace amdahlc

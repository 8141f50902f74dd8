/// What the summaries share, in text and on the page: how they name runs, what they show first, and how they compare
/// two runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "passes/advise/advice_analysis.h"
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

/// `window`, `wall` or `busy`: the time of an iteration, of which advice says what it saves.
std::string_view shortTimeName(const AdviceAnalysis& facts);

/// Whether the two runs of the report are to be compared: two devices of one trace are not.
bool isBeforeAndAfter(const Report& report);

/// The kernels that take time, the longest first; of a run without times those with device work, by number.
std::vector<const KernelRow*> longestKernels(const RunReport& run);
/// The module of a kernel, else its first node; empty if it says no more than the name.
std::string placeOf(const KernelRow& kernel);

/// The first of the runs with the longest wall time; busy time takes its place where that is unknown. Precondition:
/// there is a run.
const RunReport& slowestRun(const Report& report);

/// What became of the longest total that both runs have, as a phrase.
std::string outcome(const comparison::Comparison& comparison);

/// The label, and the report that it is in. Printable.
std::string runName(const comparison::MeasuredRunName& run);

std::optional<int64_t> nsOf(const std::optional<comparison::MeasuredTime>& time);
/// `+1.2 %`; empty where a side is missing.
std::string changeOf(const comparison::Difference& row);
/// `gone`, `new`, `faster`, or the sign of a change that noise may explain.
std::string_view markOf(const comparison::Difference& row);

}  // namespace amdahlc

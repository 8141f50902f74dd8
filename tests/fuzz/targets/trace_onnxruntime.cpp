/// Profiles of ONNX Runtime: a timeline whose totals and excerpt can be written, or an error.
#include "traces.h"

namespace amdahlc::fuzz {
namespace {

void fuzzTraceOnnxruntime(std::string_view input, Run& run) { readAndReport(input, run); }

const Registration kTraceOnnxruntime(
    {.name = "trace_onnxruntime", .fuzzOne = fuzzTraceOnnxruntime, .mutate = mutateJson, .mutations = 1000});

}  // namespace
}  // namespace amdahlc::fuzz

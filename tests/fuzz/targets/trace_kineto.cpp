/// PyTorch's traces: a timeline whose totals and excerpt can be written, or an error.
#include "traces.h"

namespace amdahlc::fuzz {
namespace {

void fuzzTraceKineto(std::string_view input, Run& run) { readAndReport(input, run); }

const Registration kTraceKineto(
    {.name = "trace_kineto", .fuzzOne = fuzzTraceKineto, .mutate = mutateJson, .mutations = 500});

}  // namespace
}  // namespace amdahlc::fuzz

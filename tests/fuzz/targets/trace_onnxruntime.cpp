/// Profiles of ONNX Runtime: a timeline whose totals and excerpt can be written, or an error.
#include "traces.h"

namespace amdahlc::fuzz {

void fuzzOne(std::string_view input, Run& run) { readAndReport(input, run); }

}  // namespace amdahlc::fuzz

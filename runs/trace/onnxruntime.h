/// Profiles of ONNX Runtime (`SessionOptions.enable_profiling`). Internal to the readers.
#pragma once

#include "runs/trace/format.h"

namespace amdahlc::trace {

/// Whether a file is a profile of ONNX Runtime: an array whose first event is of a category that only it writes, or
/// that array wrapped as `traceEvents` by another program.
bool looksLikeOnnxRuntime(const Beginning& beginning);

/// Adds the file's events to `builder`. Reports `trace-syntax` or `trace-invalid` and returns false on failure.
bool readOnnxRuntime(TraceFiles files, TimelineBuilder& builder, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::trace

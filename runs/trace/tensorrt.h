/// Files of TensorRT's trtexec: the times of layers, the layers of the engine, the times of executions. Internal to the
/// readers.
#pragma once

#include "runs/trace/format.h"

namespace amdahlc::trace {

/// Whether a file is the result of `--exportProfile`, `--exportLayerInfo` or `--exportTimes`.
bool looksLikeTensorRt(const Beginning& beginning);

/// Adds the layers of the profile to `builder`, in the order of the file and without starts. At most one file of each
/// kind; the profile must be among them. Reports `trace-syntax` or `trace-invalid` and returns false on failure.
bool readTensorRt(TraceFiles files, TimelineBuilder& builder, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::trace

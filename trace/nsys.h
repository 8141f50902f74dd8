/// SQLite exports of Nsight Systems, NVIDIA's profiler (`nsys export --type=sqlite`). Internal to the readers.
#pragma once

#include "trace/format.h"

namespace amdahlc::trace {

/// Whether a file may be Nsight's: an SQLite database. Its tables tell; `readNsys` reports a file of another program.
bool looksLikeNsys(const Beginning& beginning);

/// Adds the file's events to `builder`. Reports `trace-unknown-format` or `trace-invalid` and returns false on failure.
bool readNsys(TraceFiles files, TimelineBuilder& builder, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::trace

/// SQLite exports of Nsight Systems, NVIDIA's profiler (`nsys export --type=sqlite`). Internal to the readers.
#pragma once

#include <string_view>

#include "runs/trace/format.h"

namespace amdahlc::trace {

/// Whether a file may be Nsight's: an SQLite database. Its tables tell; `readNsys` reports a file of another program.
bool looksLikeNsys(const Beginning& beginning);

/// Adds the file's events to `builder`. Reports `trace-unknown-format` or `trace-invalid` and returns false on failure.
bool readNsys(TraceFiles files, TimelineBuilder& builder, DiagnosticEngine& diagnostics);

/// Whether a file of this name is a report of Nsight Systems itself, whose format only its maker knows.
bool isNsightReport(std::string_view name);

/// How to get a file that can be read.
inline constexpr std::string_view kNsightExportAdvice =
    "`nsys export --type=sqlite REPORT.nsys-rep` makes an SQLite export of a report of Nsight Systems";

}  // namespace amdahlc::trace

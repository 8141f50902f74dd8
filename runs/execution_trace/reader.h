/// Reads execution traces: what PyTorch's `ExecutionTraceObserver` writes, and MLCommons Chakra reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runs/execution_trace/execution_trace.h"
#include "support/diagnostic.h"

namespace amdahlc::trace {
class TraceFile;
}

namespace amdahlc::execution_trace {

/// Whether a file that begins with these bytes, decompressed, is an execution trace. 64 KiB tell.
bool looksLikeExecutionTrace(std::string_view beginning);

/// Reads a file, plain or compressed with gzip or zstd, in memory that is proportional to what it keeps. Reports
/// `trace-syntax` for damaged JSON, `trace-invalid` for what is no execution trace of a known schema, each at its byte,
/// and returns nullopt. What is merely odd is counted in `ExecutionTrace::problems`.
std::optional<ExecutionTrace> readExecutionTrace(trace::TraceFile& file, DiagnosticEngine& diagnostics);
/// The same of a path; `-` is stdin.
std::optional<ExecutionTrace> readExecutionTrace(const std::string& path, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::execution_trace

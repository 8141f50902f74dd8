/// Reads profiler files into timelines: recognises the format by the content and calls its reader.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/timeline/timeline.h"
#include "support/diagnostic.h"

namespace amdahlc::trace {

/// The label of a trace without a given one: `encoder` for `path/encoder.trace.json.gz`; `trace` if there is no name.
std::string labelOf(const std::string& file);

/// Whether a file is a trace of Kineto with the name of a call that begins a capture of a graph. Reads all of it. False
/// for stdin, and for what cannot be read.
bool mayHoldCapture(const std::string& path);

struct TraceReadOptions {
  /// Unique. If empty, `labelOf` the file.
  std::string label;
  TraceSelection selection;
};

/// Reads the trace of one run from its files, plain or compressed; `-` is stdin. The timeline's `file` has their last
/// components.
std::optional<Timeline> readTrace(const std::vector<std::string>& paths, const TraceReadOptions& options,
                                  DiagnosticEngine& diagnostics);

/// The same, from the bytes of one file with the given name.
std::optional<Timeline> readTraceBytes(std::string_view bytes, const std::string& file, const TraceReadOptions& options,
                                       DiagnosticEngine& diagnostics);

}  // namespace amdahlc::trace

/// Reads profiler files into timelines: recognises the format by the content and calls its reader.
#pragma once

#include <functional>
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
  /// Called often while a file is read, with its last component and the part of it that is read; may be empty.
  std::function<void(const std::string& file, double fraction)> progress = {};
};

/// Reads the trace of one run from its files, plain or compressed; `-` is stdin. The timeline's `file` has their last
/// components.
std::optional<Timeline> readTrace(const std::vector<std::string>& paths, const TraceReadOptions& options,
                                  DiagnosticEngine& diagnostics);

/// Whether something of the trace of a run can be analysed. If not, reports what it has and what it would need, as an
/// error about the file. A trace whose work is outside of the iterations that count gets a warning.
bool hasWork(const Timeline& timeline, const std::string& path, DiagnosticEngine& diagnostics);

/// The same as `readTrace`, from the bytes of one file with the given name.
std::optional<Timeline> readTraceBytes(std::string_view bytes, const std::string& file, const TraceReadOptions& options,
                                       DiagnosticEngine& diagnostics);

}  // namespace amdahlc::trace

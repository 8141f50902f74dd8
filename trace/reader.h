/// Reads profiler files into timelines: detects the format and calls its reader. A new format is one more reader file
/// and one row in reader.cpp.
#pragma once

#include <optional>
#include <string>

#include "support/diagnostic.h"
#include "timeline/timeline.h"

namespace amdahlc::trace {

/// The label of a trace without a given one: `encoder` for `path/encoder.trace.json.gz`; `trace` if there is no name.
std::string labelOf(const std::string& file);

struct TraceReadOptions {
  /// Unique. If empty, `labelOf` the file.
  std::string label;
  StepSelection steps = StepSelection::Auto;
};

/// Reads a trace from its bytes (plain or gzipped). `file` is the path as given, for messages; the timeline's `file` is
/// its last component.
std::optional<Timeline> readTrace(std::string_view bytes, const std::string& file, const TraceReadOptions& options,
                                  DiagnosticEngine& diagnostics);

}  // namespace amdahlc::trace

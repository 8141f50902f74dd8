/// Reads profiler files into timelines: detects the format and calls its reader. A new format is one more reader file
/// and one row in reader.cpp.
#pragma once

#include <optional>
#include <string>

#include "support/diagnostic.h"
#include "timeline/timeline.h"

namespace amdahlc::trace {

struct TraceReadOptions {
  /// Unique. If empty, it is derived from the file name without extensions.
  std::string label;
  StepSelection steps = StepSelection::Auto;
};

/// Reads a trace from its bytes (plain or gzipped). `file` is the path as given, for messages; the timeline's `file` is
/// its last component.
std::optional<Timeline> readTrace(std::string_view bytes, const std::string& file, const TraceReadOptions& options,
                                  DiagnosticEngine& diagnostics);

}  // namespace amdahlc::trace

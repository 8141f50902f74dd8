/// Copies of traces that say to which kernels of a model the events belong, for Perfetto and chrome://tracing.
#pragma once

#include <string>
#include <string_view>

#include "support/byte_sink.h"
#include "support/diagnostic.h"
#include "timeline/annotations.h"

namespace amdahlc::trace {

/// The category of events that a copy has and the trace has not; other such categories begin with it.
inline constexpr std::string_view kAnnotationCategory = "amdahlc";

/// Why there is no annotated copy of the trace of this run, as a clause for users; empty if there is one.
std::string whyNotAnnotated(const Timeline& timeline);

/// Copies the trace of `timeline` from its file, which is read once more, to `out`. `annotations` are of `timeline`.
/// Reports `trace-changed` if the file is not the one that was read, `trace-invalid` if it has annotations already, and
/// returns false. It also returns false if `out` takes no more.
bool writeAnnotated(const std::string& path, const Timeline& timeline, const TraceAnnotations& annotations,
                    ByteSink& out, DiagnosticEngine& diagnostics);

/// The same, from the bytes of the file.
bool writeAnnotatedBytes(std::string_view bytes, const Timeline& timeline, const TraceAnnotations& annotations,
                         ByteSink& out, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::trace

/// Tells what the kernels of a launched graph are, by the trace of the capture of the graph.
///
/// A server captures a graph once and launches it for every step. The trace of a launch has kernels without operators;
/// the trace of the capture has the calls that launch them, with operators and modules around them, but no kernels.
#pragma once

#include <span>

#include "replay/timeline/timeline.h"
#include "support/diagnostic.h"

namespace amdahlc::captures {

/// Whether a trace has captured launches, and no graph whose kernels ran: beside another trace it is that of a capture.
bool isOfCaptures(const Timeline& timeline);

/// Whether it has more captured launches than device events as well: alone it is of no use.
bool isOfLittleElse(const Timeline& timeline);

/// `4 launches in 1 capture`.
std::string describeCaptures(const Timeline& timeline);

/// Fills `Timeline::captured` and `captures` of a run from the traces of captures. docs/captures.md says which capture
/// a graph is of. Adds the names of the traces that fit to the file of the run, and their hashes to its hash. Counts
/// what does not agree in its problems. Reports `trace-of-another-run`: an error if no capture is of a graph that the
/// run launches, else a warning for each trace without such a capture. Returns false after an error. Precondition:
/// `isOfCaptures` each, and there is one.
bool attachCaptures(Timeline& run, std::span<const Timeline> captures, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::captures

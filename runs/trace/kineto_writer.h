/// Writes runs as traces in Kineto's layout, whatever the format of their traces, for this program and for viewers.
#pragma once

#include <string>

#include "replay/timeline/timeline.h"
#include "runs/trace/annotations.h"

namespace amdahlc::trace {

/// The selected iterations of a run. Times are those of the run. Names of Python frames lose the folders of their
/// files; nothing that tells of the machine is written but the device's name. The run must have an excerpt
/// (`absenceOfExcerpt`).
std::string writeExcerpt(const Timeline& timeline);

/// All events of a run that has an excerpt, with flows from launches to device work, and the annotations on tracks of
/// their own. It reads as the run that it was written of, with the same selection.
std::string writeAnnotated(const Timeline& timeline, const TraceAnnotations& annotations);

}  // namespace amdahlc::trace

#include "traces.h"

#include <fmt/format.h>

#include "replay/timeline/totals.h"
#include "runs/builder/excerpt.h"
#include "runs/trace/kineto_writer.h"
#include "runs/trace/reader.h"

namespace amdahlc::fuzz {

TraceSelection selectionFor(std::string_view bytes) {
  TraceSelection selection;
  switch (hashOf(bytes) / 8 % 8) {
    case 0:
      selection.steps = StepSelection::All;
      break;
    case 1:
      selection.steps = StepSelection::Range;
      selection.firstStep = 1;
      selection.lastStep = 2;
      break;
    case 2:
      selection.annotation = ".";
      break;
    case 3:
      selection.window = TimeWindow{10'000, 1'000'000};
      break;
    case 4:
      selection.device = "0";
      break;
    default:
      break;
  }
  return selection;
}

void reportTimeline(const Timeline& timeline, Run& run) {
  const TimelineTotals totals = timelineTotals(timeline);
  run.output("totals", fmt::format("busy {}, device {}, {} kernels, {} streams", totals.busy.reportedNs,
                                   totals.device.reportedNs, totals.kernels.size(), totals.streams.size()));
  if (absenceOfExcerpt(timeline)) return;
  const std::string text = trace::writeExcerpt(timeline);
  run.output("trace", text);
  SourceManager sources;
  DiagnosticEngine reading = noErrors(sources, "an excerpt cannot be read");
  trace::readTraceBytes(text, "excerpt.json", {"excerpt", StepSelection::All}, reading);
}

void readAndReport(std::string_view bytes, Run& run) {
  const auto timeline = trace::readTraceBytes(bytes, "trace.json", {"run", selectionFor(bytes)}, run.diagnostics);
  if (timeline) reportTimeline(*timeline, run);
}

}  // namespace amdahlc::fuzz

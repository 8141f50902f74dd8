// totals TRACE: reads a trace and prints its totals, as the command does without a model.
#include <cstdio>

#include "replay/timeline/totals.h"
#include "report/timeline_text.h"
#include "runs/trace/reader.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: totals TRACE\n", stderr);
    return 2;
  }
  amdahlc::SourceManager sources;
  amdahlc::DiagnosticEngine diagnostics([&](const amdahlc::Diagnostic& diagnostic) {
    std::fputs(amdahlc::render(diagnostic, sources, false).c_str(), stderr);
  });
  const auto timeline = amdahlc::trace::readTrace({argv[1]}, {}, diagnostics);
  if (!timeline) return 1;
  const amdahlc::TimelineTotals totals = amdahlc::timelineTotals(*timeline);
  std::fputs(amdahlc::formatTimelineReport(*timeline, totals, 120, 60).c_str(), stdout);
  return 0;
}

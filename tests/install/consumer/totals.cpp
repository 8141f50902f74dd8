// totals TRACE: reads a trace and prints its busy time, in nanoseconds.
#include <cstdio>

#include "replay/timeline/totals.h"
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
  std::printf("%lld\n", static_cast<long long>(amdahlc::timelineTotals(*timeline).busy.reportedNs));
  return 0;
}

// The phases of a run as lines, for the check `phases`, which finds them in another way.
//
//   amdahlc_run_phases TRACE
//
// `event FILE-EVENT PHASE` for each device event, by its place in the file; `call START DURATION PHASE FORWARD NAME`
// for each operator, annotation and call of the device's runtime, times in nanoseconds, with the start of its forward
// call or `-`.
#include <fmt/format.h>

#include <string>

#include "replay/timeline/forward_calls.h"
#include "replay/timeline/phases.h"
#include "runs/trace/reader.h"

namespace amdahlc {
namespace {

void print(const Timeline& timeline) {
  const Phases phases(timeline);
  for (EventIndex event = 0; event < timeline.size(); ++event)
    fmt::print("event {} {}\n", timeline.fileEvent[event], name(phases.of(event)));
  const HostFacts& host = *timeline.host;
  const ForwardCalls forwardCalls(timeline, phases);
  for (const HostEventId call : host.kind.ids()) {
    const EventKind kind = host.kind[call];
    if (kind != EventKind::Operator && kind != EventKind::Annotation && kind != EventKind::Runtime) continue;
    const HostEventId forward = forwardCalls.of(call);
    fmt::print("call {} {} {} {} {}\n", host.startNs[call], host.durationNs[call], name(phases.of(call)),
               forward.isNone() ? "-" : std::to_string(host.startNs[forward]), timeline.text(host.name[call]));
  }
}

int run(int argc, const char* const* argv) {
  if (argc != 2) {
    fmt::print(stderr, "amdahlc_run_phases TRACE\n");
    return 2;
  }
  DiagnosticEngine diagnostics([](const Diagnostic& message) { fmt::print(stderr, "{}\n", message.message); });
  const auto timeline = trace::readTrace({argv[1]}, {}, diagnostics);
  if (!timeline || !timeline->host || timeline->fileEvent.empty()) return 1;
  print(*timeline);
  return 0;
}

}  // namespace
}  // namespace amdahlc

int main(int argc, char** argv) { return amdahlc::run(argc, argv); }

#include "api/held_runs.h"

#include <fmt/format.h>

#include <algorithm>

namespace amdahlc::api {
namespace {

bool haveSameSelection(const Timeline& a, const Timeline& b) {
  return std::equal(a.iterations.begin(), a.iterations.end(), b.iterations.begin(), b.iterations.end(),
                    [](const Iteration& x, const Iteration& y) { return x.selected() == y.selected(); });
}

}  // namespace

bool giveHostEvents(Timeline& held, Timeline read, bool regrouped, SourceRange range, DiagnosticEngine& diagnostics) {
  const auto refuse = [&](const std::string& message) {
    diagnostics.error(DiagId::TraceLabel, range, message);
    return false;
  };
  if (held.contentHash != read.contentHash)
    return refuse(fmt::format(
        "the IR text contains a run labelled `{}` of another trace, `{}` (hash {}, not {}); name this one with "
        "`-trace=label=file`",
        held.label, held.file, held.contentHash, read.contentHash));
  if (held.device != read.device)
    return refuse(
        fmt::format("the run `{}` of the IR text is of device {}, this one of device {}; give the same `-device`, or "
                    "name this one "
                    "with `-trace=label=file`",
                    held.label, held.device, read.device));
  if (!regrouped && !haveSameSelection(held, read))
    return refuse(
        fmt::format("the run `{}` of the IR text has other iterations selected; give the same `-steps`, `-window` "
                    "and `-annotation`, or name this one with `-trace=label=file`",
                    held.label));
  const std::string difference = regrouped ? std::string() : deviceEventDifference(held, read);
  if (!difference.empty())
    return refuse(fmt::format("the run `{}` of the IR text differs from this trace: {}", held.label, difference));
  read.target = std::move(held.target);
  held = std::move(read);
  return true;
}

}  // namespace amdahlc::api

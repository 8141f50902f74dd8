/// Which call of its execution trace each call of a run is, and what it adds to them.
#pragma once

#include <optional>

#include "replay/timeline/timeline.h"
#include "runs/execution_trace/execution_trace.h"
#include "runs/execution_trace/link.h"
#include "support/diagnostic.h"

namespace amdahlc::program {

/// Which call of the execution trace each operator and annotation of a run is, in the order of its host events.
/// Precondition: the timeline has host facts.
execution_trace::Links linksOf(const Timeline& timeline, const execution_trace::ExecutionTrace& trace);

/// By host event: the call of the execution trace; none for those that are not linked. Reports `trace-of-another-run`
/// if both are not of one run, and returns nullopt. Precondition: the timeline has host facts.
std::optional<IdVector<HostEventId, execution_trace::NodeId>> linkedCalls(const Timeline& timeline,
                                                                          const execution_trace::ExecutionTrace& trace,
                                                                          DiagnosticEngine& diagnostics);

/// For a run of a model: adds to the operators of the timeline what only the execution trace states, their operands and
/// autograd's numbers, and sets `HostFacts::traced`. False after an error, as above.
bool addTracedFacts(Timeline& timeline, const execution_trace::ExecutionTrace& trace, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::program

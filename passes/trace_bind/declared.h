/// What the pass `trace-bind` declares besides its section of the report: outputs, a gate, and a check of rules.
#pragma once

#include <string>

#include "passes/manager/command_option.h"
#include "passes/manager/output_kind.h"

namespace amdahlc::binding {

/// The output `bindings`.
/// CSV (RFC 4180): one row per selected device event of the cover's run, in order of start, with the kernel that it is
/// bound to and that kernel's nodes, anchor first.
std::string writeBindings(const OutputContext& context, ir::CoverId cover);

/// The JSON Schema of a row as an object.
std::string bindingsSchema();

/// The output `evidence`.
/// CSV (RFC 4180): one row per call and option, with the rows of evidence.def that agree and their sum, weighed anew
/// from the bound run. A row without nodes says what it costs that the call stays unbound. Rows without an event
/// follow, one per unit: what it costs that no call runs it. If the alternatives take more than limits::kEvidenceBytes,
/// a last row says how many are left out. Only the head if nothing was weighed: the rules bind by names, or the run
/// comes from IR text, which has no host events.
std::string writeEvidence(const OutputContext& context, ir::CoverId cover);

/// The gate of `-strict-bind`.
/// Reports each run whose trace does not fit the model, and each run of whose device time less than `limit` thousandths
/// of a percent are bound. The comparison is exact. Runs that were bound by names only are not tested for their fit.
/// Precondition: `bound`.
void checkBoundShare(const GateInput& input, DiagnosticEngine& diagnostics);

/// The check of `-check-rules -trace=`.
/// Warns at a test of a launch sequence that applies to the trace's target: where a required step fits no kernel of the
/// trace (`launch-matches-nothing`), and where all steps fit all kernels although the sequence names no operator
/// (`launch-matches-everything`).
void checkLaunches(const ir::RuleSet& rules, const Timeline& timeline, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::binding

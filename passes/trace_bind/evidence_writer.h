/// The output `evidence`.
#pragma once

#include <string>

#include "passes/manager/output_kind.h"

namespace amdahlc::binding {

/// CSV (RFC 4180): one row per call and option, with the rows of evidence.def that agree and their sum, weighed anew
/// from the bound run. A row without nodes says what it costs that the call stays unbound. Rows without an event
/// follow, one per unit: what it costs that no call runs it. If the alternatives take more than limits::kEvidenceBytes,
/// a last row says how many are left out. Only the head if nothing was weighed: the rules bind by names, or the run
/// comes from IR text, which has no host events.
std::string writeEvidence(const OutputContext& context, ir::CoverId cover);

}  // namespace amdahlc::binding

/// The CSV outputs of the pass `host`.
#pragma once

#include <string>

#include "passes/manager/output_kind.h"

namespace amdahlc {

/// One row for each overhead of an operator or a call that has samples.
std::string writeOverheads(const OutputContext& context, ir::CoverId cover);

/// One row for each kernel of a launching operator of a top-level operator of a stream, per iteration.
std::string writeStreams(const OutputContext& context, ir::CoverId cover);

}  // namespace amdahlc

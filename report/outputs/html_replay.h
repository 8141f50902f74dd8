/// What the page needs to predict the runs of the report.
#pragma once

#include <vector>

#include "report/outputs/output.h"
#include "report/page/encoding.h"

namespace amdahlc {

/// Columns `RUN/replay.NAME` of each run with kernel times: those of replay/module/columns.def, and the texts of the
/// changes that are offered (`changes`, `changes.end`).
void addReplays(const OutputContext& context, std::vector<page::NamedColumn>& columns);

}  // namespace amdahlc

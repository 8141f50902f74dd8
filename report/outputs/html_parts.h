/// The parts of the output `html`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/outputs/output.h"
#include "report/page/encoding.h"
#include "report/report.h"

namespace amdahlc {

/// What the page needs of the runs beside the report.
struct PageData {
  /// JSON: an object for each run of the report.
  std::string runs;
  std::vector<page::NamedColumn> columns;
};

PageData pageDataOf(const OutputContext& context);

/// The graph of the kernels of a run, placed: a column `graph.HOW` for each way to fold it, a text of JSON. No columns
/// before kernels are known; none for a way to fold in which the graph is too large to place.
std::vector<page::NamedColumn> graphColumns(const OutputContext& context, const RunReport& run, size_t index);

/// What a person must know first, as the output `summary` says it: HTML that needs no script.
std::string summaryAsHtml(const OutputContext& context);

}  // namespace amdahlc

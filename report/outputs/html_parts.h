/// The parts of the output `html`.
#pragma once

#include <string>
#include <vector>

#include "report/outputs/output.h"
#include "report/page/encoding.h"

namespace amdahlc {

/// What the page needs of the runs beside the report.
struct PageData {
  /// JSON: an object for each run of the report.
  std::string runs;
  std::vector<page::NamedColumn> columns;
};

PageData pageDataOf(const OutputContext& context);

/// What a person must know first, as the output `summary` says it: HTML that needs no script.
std::string summaryAsHtml(const OutputContext& context);

}  // namespace amdahlc

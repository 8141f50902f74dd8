/// Tables of a report for programs, with typed columns.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/ids.h"

namespace amdahlc::ir {
class Module;
}

namespace amdahlc {

struct Report;
struct RunPredictions;

/// Rows as a JSON array of objects with the same keys, and the JSON Schema of one row, which tells the type of each
/// column. null is a fact that was not established. Times are integers of nanoseconds.
struct RowTable {
  std::string rows, rowSchema;
};

/// The table of the output `csv`: a row for each kernel of each run.
RowTable kernelTable(const Report& report);

/// Of each run its label and one key of it, as the output `json` has them: a JSON array of objects.
std::string runsWithKey(const Report& report, std::string_view key);

/// A scenario in each run with kernel times: its label, the prediction as in `what_if` of the report, or why there is
/// none. Only the first scenario of each run counts.
RowTable predictionTable(const Report& report, const std::map<ir::CoverId, RunPredictions>& runs);

/// A column of texts, of which many rows have the same one.
struct CodedTexts {
  /// By row, the index in `texts`.
  std::vector<int32_t> codes;
  /// Different texts.
  std::vector<std::string> texts;
};

/// The table of the output `bindings`, by column: a row for each selected device event of a run, in order of start.
struct DeviceEventTable {
  /// Empty if the trace has no start times.
  std::vector<int64_t> startNs;
  std::vector<int64_t> durationNs;
  CodedTexts stream, name;
  /// -1: the event is not bound, and has no kernel.
  std::vector<int32_t> kernel;
  CodedTexts nodes, scope, evidence;
  /// In thousandths; -1: unknown.
  std::vector<int32_t> confidencePermille;
  CodedTexts state;
};

/// Precondition: the cover is bound.
DeviceEventTable eventTable(const ir::Module& module, ir::CoverId cover);

}  // namespace amdahlc

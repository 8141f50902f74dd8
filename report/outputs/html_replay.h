/// What the page needs to predict the runs of the report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "passes/speedup_rewrite/scenario_resolution.h"
#include "report/outputs/output.h"
#include "report/page/encoding.h"

namespace amdahlc {

/// Starts, from the origin of the page, and durations of the events of a table, in order.
struct PageSpans {
  std::vector<int64_t> starts, durations;
};
/// Of the tables `event` and `host` of a run.
struct PageRun {
  int64_t originNs = 0;
  PageSpans events, host;
};

class Replays {
 public:
  explicit Replays(const OutputContext& context);

  /// Adds columns `RUN/replay.NAME` of a run: those of replay/module/columns.def, and the texts of the changes that are
  /// offered (`changes`, `changes.end`). Returns why it cannot: empty if it did, or if the run has no kernel times.
  std::string add(size_t run, const PageRun& page, size_t mostBytes, std::vector<page::NamedColumn>& columns) const;

 private:
  const OutputContext& context_;
  std::vector<PredictedRun> runs_;
};

}  // namespace amdahlc

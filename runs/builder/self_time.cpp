#include "runs/builder/self_time.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace amdahlc {
namespace {

/// Cuts the time of one thread into stretches. Operators are added in order of start.
class RunningOperators {
 public:
  void begin(EventTable& table, Row row) {
    runUntil(table, table.startNs[row]);
    nowNs_ = table.startNs[row];
    open_.push_back(row);
  }
  void end(EventTable& table) { runUntil(table, INT64_MAX); }

 private:
  void runUntil(EventTable& table, int64_t untilNs) {
    while (!open_.empty() && nowNs_ < untilNs) {
      const Row innermost = open_.back();
      const int64_t operatorEndNs = table.endNs(innermost);
      const int64_t stretchEndNs = std::min(operatorEndNs, untilNs);
      if (operatorEndNs <= untilNs) open_.pop_back();
      if (stretchEndNs <= nowNs_) continue;  // ended inside an operator that crosses it
      table.work.push_back({innermost, nowNs_, stretchEndNs - nowNs_});
      nowNs_ = stretchEndNs;
    }
  }

  /// In order of start. Some of those below the last one may have ended.
  std::vector<Row> open_;
  int64_t nowNs_ = INT64_MIN;
};

}  // namespace

void addSelfTimes(EventTable& table) {
  std::vector<RunningOperators> threads(table.tracks.size());
  for (Row row = 0; row < table.size(); ++row) {
    if (table.kind[row] != EventKind::Operator) continue;
    table.launch[row] = row;
    table.launchOp[row] = row;
    if (table.durationNs[row] > 0) threads[table.track[row]].begin(table, row);
  }
  for (RunningOperators& thread : threads) thread.end(table);
  std::sort(table.work.begin(), table.work.end(), [](const WorkEvent& a, const WorkEvent& b) {
    return std::tuple(a.startNs, -a.durationNs, a.row) < std::tuple(b.startNs, -b.durationNs, b.row);
  });
}

}  // namespace amdahlc

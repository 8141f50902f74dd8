#include "passes/host/per_iteration.h"

#include <algorithm>

#include "support/statistics.h"

namespace amdahlc {
namespace {

/// The rows per iteration; together they are `whole`.
template <typename Rounded, typename Row>
std::vector<Rounded> rounded(const std::vector<Row>& rows, const DeviceWork& whole, int64_t iterations) {
  std::vector<int64_t> counts, times;
  for (const Row& row : rows) {
    counts.push_back(row.work.count);
    times.push_back(row.work.ns);
  }
  const int64_t divisor = std::max<int64_t>(iterations, 1);
  counts = apportion(whole.count, counts, divisor);
  times = apportion(whole.ns, times, divisor);
  std::vector<Rounded> out(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    out[i].row = &rows[i];
    out[i].count = counts[i];
    out[i].ns = times[i];
  }
  return out;
}

}  // namespace

std::vector<RoundedStream> streamsPerIteration(int64_t iterations, const HostAnalysis& facts) {
  DeviceWork all;
  for (const StreamWork& stream : facts.streams) all += stream.work;
  const auto workOf = [](const auto& row) { return DeviceWork{row.count, row.ns}; };
  auto streams = rounded<RoundedStream>(
      facts.streams, {perIteration(all.count, iterations), perIteration(all.ns, iterations)}, iterations);
  for (RoundedStream& stream : streams) {
    stream.families = rounded<RoundedRow<FamilyWork>>(stream.row->families, workOf(stream), iterations);
    stream.operators = rounded<RoundedTop>(stream.row->operators, workOf(stream), iterations);
    for (RoundedTop& top : stream.operators) {
      top.operators = rounded<RoundedLaunching>(top.row->operators, workOf(top), iterations);
      top.kernels = rounded<RoundedKernel>(top.row->kernels, workOf(top), iterations);
      for (RoundedLaunching& launching : top.operators)
        launching.kernels = rounded<RoundedKernel>(launching.row->kernels, workOf(launching), iterations);
    }
  }
  return streams;
}

std::vector<int64_t> concurrencyPerIteration(int64_t iterations, const HostAnalysis& facts) {
  return apportion(perIteration(sum(facts.concurrencyNs), iterations), facts.concurrencyNs,
                   std::max<int64_t>(iterations, 1));
}

}  // namespace amdahlc

#include "passes/host/overheads.h"

#include <doctest/doctest.h>

using namespace amdahlc;  // NOLINT(google-build-using-namespace)

namespace {

SampleStatistics samples(int64_t count, int64_t totalNs) {
  SampleStatistics out;
  out.count = count;
  out.totalNs = totalNs;
  return out;
}

TEST_CASE("overheads are rows with the largest sums first; those without samples are none") {
  Timeline timeline;
  const Symbol op = timeline.strings.intern("aten::mm\n"), call = timeline.strings.intern("launch");
  HostOverheads overheads;
  overheads.t1 = samples(2, 30);
  overheads.launches = {{call, samples(1, 40)}};
  overheads.operators = {{op, 3, samples(3, 30), samples(1, -5), samples(0, 0)}};
  std::string text;
  for (const OverheadRow& row : overheadRows(overheads)) text += nameOf(row, timeline) + ";";
  CHECK(text == "T4 launch;T1;T2 aten::mm?;T3 aten::mm?;");
}

}  // namespace

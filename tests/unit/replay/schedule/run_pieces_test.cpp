#include <doctest/doctest.h>

#include <numeric>

#include "replay/schedule/time_pieces.h"
#include "tests/unit/replay/schedule/run_builder.h"

using namespace amdahlc;
using namespace amdahlc::schedule;
using namespace amdahlc::testing;

namespace {

/// `host aten::mm 40, launch-call cudaLaunchKernel 5`, in microseconds.
std::string shown(const Timeline& timeline, const std::vector<TimePiece>& pieces) {
  std::string out;
  for (const TimePiece& piece : pieces) {
    out += (out.empty() ? "" : ", ") + std::string(name(piece.kind));
    if (!piece.name.empty()) out += " " + std::string(timeline.text(piece.name));
    if (piece.note != PieceNote::None) out += " (" + std::string(describe(piece.note)) + ")";
    out += " " + std::to_string(piece.ns / us);
  }
  return out;
}

std::vector<TimePiece> summed(const std::vector<PlacedPiece>& pieces) {
  PieceSums sums;
  for (const PlacedPiece& piece : pieces) sums.add(piece);
  return sums.pieces();
}

struct Analysed {
  explicit Analysed(Timeline made) : timeline(std::move(made)), model(timeline), activity(model.calls) {}
  Timeline timeline;
  RunModel model;
  HostActivity activity;
  std::string idle() const { return shown(timeline, summed(idlePieces(model, activity, 0))); }
  std::string wall() const { return shown(timeline, summed(wallPath(model, activity, 0))); }
  std::string window(std::vector<TimePiece> WindowPath::* part = &WindowPath::pieces) const {
    return shown(timeline, windowPath(model, activity, 0).*part);
  }
};

}  // namespace

TEST_CASE("idle time is the host's up to the launch, then the launch, then its latency") {
  RunBuilder run;
  run.step("ProfilerStep#0", {-10 * us, 300 * us});
  run.launch({0, 5 * us}, 1);
  run.kernel("a", {15 * us, 25 * us}, 1);
  run.op("aten::mm", {40 * us, 120 * us});
  run.call("cudaMalloc", {50 * us, 60 * us});
  run.launch({100 * us, 105 * us}, 2);
  run.kernel("b", {115 * us, 125 * us}, 2);
  const Analysed at(run.finish());
  CHECK(at.idle() ==
        "host (nothing recorded) 15, host aten::mm 50, host cudaMalloc 10, launch-call cudaLaunchKernel 5, "
        "launch-latency cudaLaunchKernel 10");
  CHECK(at.wall() ==
        "host (nothing recorded) 25, host aten::mm 50, host cudaMalloc 10, launch-call cudaLaunchKernel 5, "
        "launch-latency cudaLaunchKernel 10, device-work b 10");
  CHECK(at.window() == "host (nothing recorded) 225, host cudaLaunchKernel 10, host aten::mm 65, host cudaMalloc 10");
}

TEST_CASE("pieces say where they are, and which event or row of the trace they are of") {
  RunBuilder run;
  run.step("ProfilerStep#0", {-10 * us, 300 * us});
  run.launch({0, 5 * us}, 1);
  run.kernel("a", {15 * us, 25 * us}, 1);
  run.op("aten::mm", {40 * us, 120 * us});
  run.launch({100 * us, 105 * us}, 2);
  run.kernel("b", {115 * us, 125 * us}, 2);
  const Analysed at(run.finish());
  const HostFacts& host = *at.timeline.host;
  int64_t atNs = 25 * us;
  std::string rows;
  for (const PlacedPiece& piece : idlePieces(at.model, at.activity, 0)) {
    CHECK(piece.startNs == atNs);
    atNs += piece.ns;
    rows += piece.row.isNone() ? "- " : std::string(at.timeline.text(host.name[piece.row])) + " ";
  }
  CHECK(atNs == 115 * us);
  CHECK(rows == "- aten::mm cudaLaunchKernel - ");
  const std::vector<PlacedPiece> path = wallPath(at.model, at.activity, 0);
  CHECK(path.front().startNs == 15 * us);
  CHECK(path.back().event == 1);
  CHECK(path.back().startNs == 115 * us);
}

TEST_CASE("the path leads through a wait to the event that it was for") {
  RunBuilder run;
  run.step("ProfilerStep#0", {0, 300 * us});
  run.launch({0, 5 * us}, 1);
  run.kernel("a", {15 * us, 115 * us}, 1);
  run.call("cudaDeviceSynchronize", {10 * us, 120 * us});
  run.launch({200 * us, 205 * us}, 2);
  run.kernel("b", {215 * us, 225 * us}, 2);
  const Analysed at(run.finish());
  CHECK(at.idle() ==
        "synchronization cudaDeviceSynchronize 5, host (nothing recorded) 80, launch-call cudaLaunchKernel 5, "
        "launch-latency cudaLaunchKernel 10");
  CHECK(at.wall() ==
        "device-work a 100, synchronization cudaDeviceSynchronize 5, host (nothing recorded) 80, launch-call "
        "cudaLaunchKernel 5, launch-latency cudaLaunchKernel 10, device-work b 10");
  CHECK(at.window() ==
        "launch-call cudaLaunchKernel 5, launch-latency cudaLaunchKernel 10, device-work a 100, synchronization "
        "cudaDeviceSynchronize 5, host (nothing recorded) 175, host cudaLaunchKernel 5");
  // The first event starts at 15, and the last one ends at 225.
  CHECK(at.window(&WindowPath::before) == "launch-call cudaLaunchKernel 5, launch-latency cudaLaunchKernel 10");
  CHECK(at.window(&WindowPath::after) == "host (nothing recorded) 75");
}

TEST_CASE("what waits for another stream is a dependency, and what nothing explains is unknown") {
  RunBuilder run;
  run.launch({0, 5 * us}, 1);
  run.kernel("a", {15 * us, 115 * us}, 1, "7");
  run.call("cudaStreamWaitEvent", {6 * us, 7 * us}, 2);
  run.launch({10 * us, 15 * us}, 3);
  run.kernel("b", {117 * us, 127 * us}, 3, "20");
  run.launch({20 * us, 25 * us}, 4);
  run.kernel("c", {1'000 * us, 1'001 * us}, 4, "7");
  const Analysed at(run.finish());
  CHECK(at.idle() == "dependency 2, unknown (unexplained wait) 873");
  CHECK(at.wall() == "device-work a 100, unknown (unexplained wait) 885, device-work c 1");
}

TEST_CASE("data loading, and work before the recording, are named") {
  RunBuilder run;
  run.kernel("before", {0, 10 * us}, 99);
  run.step("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", {12 * us, 30 * us});
  run.op("aten::stack", {15 * us, 20 * us});
  run.launch({35 * us, 40 * us}, 1);
  run.kernel("a", {50 * us, 60 * us}, 1);
  const Analysed at(run.finish());
  CHECK(at.idle() ==
        "host (nothing recorded) 7, input enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 18, launch-call "
        "cudaLaunchKernel 5, launch-latency cudaLaunchKernel 10");
}

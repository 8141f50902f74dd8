#include "runs/trace/annotations.h"

#include <doctest/doctest.h>

#include <tuple>

#include "tests/unit/replay/timeline/timeline_fixture.h"

namespace amdahlc::testing {
namespace {

using Slice = std::tuple<uint32_t, int64_t, int64_t, int64_t>;  // what it is of, start, end, events

std::vector<Slice> slicesOf(const std::vector<AnnotatedSlice>& slices) {
  std::vector<Slice> out;
  for (const AnnotatedSlice& slice : slices) out.emplace_back(slice.of, slice.startNs, slice.endNs, slice.events);
  return out;
}

/// Subjects in the scopes `a`, `a.b`, `c` and the root, and one of an unknown scope.
TraceAnnotations annotations() {
  TraceAnnotations out;
  out.scopes = {{"", TraceAnnotations::kNone}, {"a", 0}, {"b", 1}, {"c", 0}};
  for (const uint32_t scope : {1U, 2U, 3U, 0U, TraceAnnotations::kNone}) out.subjects.push_back({"s", "", scope});
  return out;
}

}  // namespace

TEST_CASE("events of one subject that follow one another are a slice, and slices of a track do not overlap") {
  Run run;
  const std::tuple<int64_t, int64_t, uint32_t> kernels[] = {
      {0, 10, 0}, {20, 30, 0}, {25, 50, 1}, {30, 40, 2}, {60, 70, 0}};
  TraceAnnotations known = annotations();
  for (const auto& [startNs, endNs, subject] : kernels) {
    run.kernel("k", -1, startNs, endNs);
    known.subjectOf.push_back(subject);
  }
  const auto tracks = annotatedTracks(run.finish(StepSelection::All), known);
  REQUIRE(tracks.size() == 1);
  CHECK(slicesOf(tracks[0].subjects) ==
        std::vector<Slice>{{0, 0, 30, 2}, {1, 30, 50, 1}, {2, 50, 50, 1}, {0, 60, 70, 1}});
  CHECK(tracks[0].subjects[0].workNs == 20);
}

TEST_CASE("slices of scopes nest, and go on over events of unknown scope") {
  Run run;
  TraceAnnotations known = annotations();
  int64_t atNs = 0;
  for (const uint32_t subject : {0U, 1U, 4U, 1U, 0U, 3U, 0U, 2U}) {
    run.kernel("k", -1, atNs, atNs + 5);
    known.subjectOf.push_back(subject);
    atNs += 10;
  }
  const auto tracks = annotatedTracks(run.finish(StepSelection::All), known);
  REQUIRE(tracks.size() == 1);
  CHECK(slicesOf(tracks[0].scopes) ==
        std::vector<Slice>{{1, 0, 45, 4}, {2, 10, 35, 2}, {1, 60, 65, 1}, {3, 70, 75, 1}});
}

TEST_CASE("slices end with their iteration, and events that do not count have none") {
  Run run;
  TraceAnnotations known = annotations();
  for (int64_t step = 0; step < 3; ++step) {
    run.annotation("ProfilerStep#" + std::to_string(step), step * 1000, step * 1000 + 900);
    run.launch("k", step, step * 1000 + 10);
    known.subjectOf.push_back(step == 0 ? TraceAnnotations::kNone : 0);
  }
  const auto tracks = annotatedTracks(run.finish(), known);
  REQUIRE(tracks.size() == 1);
  CHECK(slicesOf(tracks[0].subjects) == std::vector<Slice>{{0, 1110, 1160, 1}, {0, 2110, 2160, 1}});
  CHECK(slicesOf(tracks[0].scopes) == std::vector<Slice>{{1, 1110, 1160, 1}, {1, 2110, 2160, 1}});
}

}  // namespace amdahlc::testing

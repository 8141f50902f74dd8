#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "replay/timeline/totals.h"
#include "tests/unit/runs/trace/trace_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;

namespace {

const std::string kProfile =
    "[\n  { \"count\" : 20 }\n"
    ", { \"name\" : \"Conv_0 + Relu_1\", \"timeMs\" : 2.4691, \"averageMs\" : 0.123456, \"medianMs\" : 0.12, "
    "\"percentage\" "
    ": 71.2 }\n"
    ", { \"name\" : \"MaxPool_2\", \"timeMs\" : 1.0, \"averageMs\" : 5e-2, \"percentage\" : 28.8 }\n"
    "]";
const std::string kLayers =
    R"({"Layers": [{"Name": "Conv_0 + Relu_1", "Metadata": "[ONNX Layer: a]\u001e[ONNX Layer: b]"}, "MaxPool_2"], "Bindings": []})";
const std::string kTimes =
    R"([{"startComputeMs": 1, "computeMs": 0.5, "latencyMs": 0.75}, {"computeMs": 0.5, "latencyMs": 0.25}])";

/// Reads files of one run that have these contents.
Read readRun(const std::vector<std::string>& contents) {
  const auto folder = std::filesystem::temp_directory_path() / "amdahlc-tensorrt-test";
  std::filesystem::create_directories(folder);
  std::vector<std::string> paths;
  for (const std::string& content : contents) {
    paths.push_back((folder / std::to_string(paths.size())).string());
    std::ofstream(paths.back(), std::ios::binary) << content;
  }
  Read out = readFiles(paths);
  std::filesystem::remove_all(folder);
  return out;
}

}  // namespace

TEST_CASE("a layer's mean is read as decimal text, and layers are laid end to end") {
  const Read read = readText(kProfile);
  REQUIRE(read.timeline);
  const Timeline& timeline = *read.timeline;
  CHECK(timeline.durationNs == std::vector<int64_t>{123456, 50000});
  CHECK(timeline.startNs == std::vector<int64_t>{0, 123456});
  CHECK_FALSE(timeline.hasStarts);
  CHECK(timeline.meanOf == 20);
  CHECK(timeline.problems.empty());
  const TimelineTotals totals = timelineTotals(timeline);
  CHECK(totals.busy.meanNs == 173456);
  CHECK_FALSE(totals.wall);
  CHECK_FALSE(totals.idle);
  CHECK_FALSE(totals.window);
}

TEST_CASE("layers of equal names and no time are no repetition, and keep their order") {
  std::string profile = "[{\"count\": 1}";
  for (int i = 0; i < 6; ++i)
    profile += i % 2 == 0 ? R"(,{"name":"zero","averageMs":0})" : R"(,{"name":"work","averageMs":0.001})";
  const Read read = readText(profile + "]");
  REQUIRE(read.timeline);
  CHECK(read.timeline->iterations.size() == 1);
  CHECK(read.timeline->durationNs == std::vector<int64_t>{0, 1000, 0, 1000, 0, 1000});
  CHECK(problemCount(*read.timeline, "repeated-layer-name") == 4);
}

TEST_CASE("files of one run may come in any order") {
  for (const auto& files : {std::vector{kProfile, kLayers, kTimes}, std::vector{kTimes, kLayers, kProfile}}) {
    const Read read = readRun(files);
    REQUIRE_MESSAGE(read.timeline, read.reported);
    CHECK(read.timeline->latenciesNs == std::vector<int64_t>{750000, 250000});
    CHECK(read.timeline->nodesByName.size() == 1);
    CHECK(read.timeline->nodesText(0) == "[ONNX Layer: a]\x1E[ONNX Layer: b]");
    CHECK(read.timeline->nodesText(1) == "MaxPool_2");
    CHECK(problemCount(*read.timeline, "layer-without-details") == 1);
  }
}

TEST_CASE("separators in metadata may be raw") {
  std::string raw = kLayers;
  raw.replace(raw.find("\\u001e"), 6, "\x1F");
  const Read read = readRun({kProfile, raw});
  REQUIRE_MESSAGE(read.timeline, read.reported);
  CHECK(read.timeline->nodesText(0) == "[ONNX Layer: a]\x1F[ONNX Layer: b]");
}

TEST_CASE("a file cut off at any byte is an error, and no changed byte crashes the reader") {
  for (size_t length = 1; length < kProfile.size(); ++length) {
    CAPTURE(length);
    const Read read = readText(std::string_view(kProfile).substr(0, length));
    CHECK_FALSE(read.timeline);
    CHECK(contains(read.reported, "error"));
  }
  for (size_t length = 1; length < kLayers.size(); length += 7)
    CHECK_FALSE(readRun({kProfile, kLayers.substr(0, length)}).timeline);
  for (const std::string& good : {kProfile, kTimes})
    for (size_t at = 0; at < good.size(); ++at)
      for (const char byte : {'"', '\\', '{', ']', '9', '-', '\0', '\xFF'}) {
        std::string changed = good;
        changed[at] = byte;
        readText(changed);
      }
}

TEST_CASE("values of wrong types are counted, not read") {
  const Read read = readText(
      R"([{"count": 2}, {"name": 7, "averageMs": 1}, {"name": "a", "averageMs": "1"}, {"name": "b", "averageMs": 1e30}, [1], null, {"x": {"name": "c"}}])");
  REQUIRE_MESSAGE(read.timeline, read.reported);
  CHECK(read.timeline->size() == 0);
  CHECK(problemCount(*read.timeline, "layer-without-time") == 2);
  CHECK(problemCount(*read.timeline, "unknown-element") == 4);
  for (const char* count : {"0", "-1", "1.5", "\"3\"", "1e3", "99999999999999"})
    CHECK(contains(readText(std::string("[{\"count\": ") + count + "}]").reported, "trace-invalid"));
  CHECK(contains(readRun({kProfile, R"({"Layers": 7})"}).reported, "is no array"));
  CHECK(contains(readRun({kProfile, kProfile}).reported, "both have times of layers"));
}

TEST_CASE("a count without a value is no element of its own, and what is nested in an element is left out") {
  const Read read =
      readText(R"([{"count": 1}, {"name": "a", "averageMs": 0.001, "count": null, "x": [[[[]]]]}, [[[[]]]]])");
  REQUIRE_MESSAGE(read.timeline, read.reported);
  CHECK(read.timeline->durationNs == std::vector<int64_t>{1000});
  CHECK(problemCount(*read.timeline, "unknown-element") == 1);
}

TEST_CASE("layers of several optimization profiles are never summed") {
  const Read read = readText(
      R"([{"count": 1}, {"name": "a", "averageMs": 0.001}, {"name": "a [profile 1]", "averageMs": 0.002}, {"name": "b [profile 1]", "averageMs": 0.001}])");
  REQUIRE(read.timeline);
  CHECK(read.timeline->durationNs == std::vector<int64_t>{2000, 1000});
  CHECK(problemCount(*read.timeline, "other-shape-profile") == 1);
}

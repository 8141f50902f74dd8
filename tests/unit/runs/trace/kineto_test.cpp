#include <doctest/doctest.h>

#include <string>

#include "tests/unit/runs/trace/trace_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;

namespace {

const std::string kLaunch =
    R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":100,"tid":100,"ts":1712345678901230.001,"dur":2.5,"args":{"correlation":7}})";
const std::string kKernel =
    R"({"ph":"X","cat":"kernel","name":"gemm \"x\"","pid":0,"tid":7,"ts":1712345678901234.567,"dur":0.100,)"
    R"("args":{"correlation":7,"grid":[1,2,3],"block":[4,5,6],"shared memory":128,"registers per thread":32,"est. achieved occupancy %":0}})";
const std::string kOperator =
    R"({"ph":"X","cat":"cpu_op","name":"aten::cat","pid":100,"tid":100,"ts":1712345678901229.999,"dur":4,)"
    R"("args":{"Input Dims":[[[4,1,768],[4,196,768]],[],[3]],"Input type":["TensorList","Scalar","long int"],"Sequence number":12,"Record function id":4294967301,"Ev Idx":3}})";

}  // namespace

TEST_CASE("absolute times of 16 digits with fractions are exact") {
  const Read read = readText(R"({"traceEvents":[)" + kLaunch + "," + kKernel + "," + kOperator + "]}");
  REQUIRE_MESSAGE(read.timeline, read.reported);
  const Timeline& t = *read.timeline;
  const EventIndex gemm = find(t, "gemm \"x\"");
  REQUIRE(gemm != kNoEvent);
  CHECK(t.startNs[gemm] == 1712345678901234567);
  CHECK(t.durationNs[gemm] == 100);
  CHECK(t.host->launchOp[gemm] == findHost(t, "aten::cat"));
  REQUIRE(t.launchFactsOf(gemm));
  CHECK(t.launchFactsOf(gemm)->grid[2] == 3);
  CHECK(t.launchFactsOf(gemm)->block[1] == 5);
  CHECK(t.launchFactsOf(gemm)->sharedMemoryBytes == 128);
  CHECK(t.launchFactsOf(gemm)->bytes == -1);
}

TEST_CASE("a list of tensors gives a shape and a type for each tensor") {
  const Read read = readText("[" + kOperator + "]");
  REQUIRE(read.timeline);
  const HostEventId cat = findHost(*read.timeline, "aten::cat");
  const OperatorFacts* facts = read.timeline->host->operatorFactsOf(cat);
  REQUIRE(facts);
  CHECK(facts->inputDims == std::vector<std::vector<int64_t>>{{4, 1, 768}, {4, 196, 768}, {}, {3}});
  CHECK(facts->inputTypes == std::vector<std::string>{"TensorList", "TensorList", "Scalar", "long int"});
  CHECK(read.timeline->host->sequenceNumber[cat] == 12);
  CHECK(read.timeline->host->recordFunction[cat] == 4294967301);
}

TEST_CASE("values of arguments are as written, with one for each tensor of a list") {
  const Read read = readText(
      R"([{"ph":"X","cat":"cpu_op","name":"aten::cat","pid":1,"tid":1,"ts":1,"dur":9,"args":{"Input Dims":[[[4,1],[4,2]],[],[]],)"
      R"("Input type":["TensorList","Scalar","ScalarList"],"Concrete Inputs":["","-1","[1, 2]"]}}])");
  REQUIRE(read.timeline);
  const OperatorFacts* facts = read.timeline->host->operatorFactsOf(findHost(*read.timeline, "aten::cat"));
  REQUIRE(facts);
  CHECK(facts->values == std::vector<std::string>{"", "", "-1", "[1, 2]"});
}

TEST_CASE("strides are kept of operands whose elements lie in another order than the axes") {
  const auto stridesOf = [](const std::string& strides) {
    const Read read = readText(
        R"([{"ph":"X","cat":"cpu_op","name":"aten::conv2d","pid":1,"tid":1,"ts":1,"dur":9,"args":{"Input Dims":[[2,3,4,5],[8,3,1,1],[]],)"
        R"("Input type":["float","float","Scalar"])" +
        strides + "}}]");
    REQUIRE(read.timeline);
    const OperatorFacts* facts = read.timeline->host->operatorFactsOf(findHost(*read.timeline, "aten::conv2d"));
    REQUIRE(facts);
    return facts->strides;
  };
  using Strides = std::vector<std::vector<int64_t>>;
  CHECK(stridesOf("") == std::nullopt);
  CHECK(stridesOf(R"(,"Input Strides":[[60,20,5,1],[3,1,1,1],[]])") == Strides{});
  CHECK(stridesOf(R"(,"Input Strides":[[60,1,15,3],[3,1,1,1],[]])") == Strides{{60, 1, 15, 3}});
  CHECK(stridesOf(R"(,"Input Strides":[[60,20,5,1],[3,1,3,3],[]])") == Strides{{}, {3, 1, 3, 3}});
  // What cannot be that of these operands says nothing.
  CHECK(stridesOf(R"(,"Input Strides":[[60,20,5,1]])") == std::nullopt);
  CHECK(stridesOf(R"(,"Input Strides":[[60,20,5],[3,1,1,1],[]])") == std::nullopt);
}

TEST_CASE("ids of record functions are kept of operators and annotations, and of a trace that has some") {
  const Read without = readText("[" + kLaunch + "," + kKernel + "]");
  REQUIRE(without.timeline);
  CHECK(without.timeline->host->recordFunction.empty());
  const std::string annotation =
      R"({"ph":"X","cat":"user_annotation","name":"step 0","pid":100,"tid":100,"ts":1712345678901229,"dur":9,"args":{"Record function id":3}})";
  const Read read = readText("[" + kLaunch + "," + annotation + "," + kKernel + "]");
  REQUIRE(read.timeline);
  const HostFacts& host = *read.timeline->host;
  CHECK(host.recordFunction.size() == host.size());
  CHECK(host.recordFunction[findHost(*read.timeline, "step 0")] == 3);
  CHECK(host.recordFunction[findHost(*read.timeline, "cudaLaunchKernel")] == -1);
}

TEST_CASE("an array alone, metadata after the events, text ids, nanoseconds on display, a byte order mark") {
  CHECK(readText("[" + kLaunch + "," + kKernel + "]").timeline);
  const std::string odd =
      "\xEF\xBB\xBF{\"displayTimeUnit\":\"ns\",\"traceEvents\":[{}," + kLaunch + "," + kKernel +
      R"(,{"ph":"X","cat":"Trace","name":"Profiler","pid":"Spans","tid":"P","ts":1,"dur":2},)"
      R"({"ph":"M","name":"thread_name","pid":0,"tid":7,"ts":0,"args":{"name":"stream 7 "}},{"ph":"i","name":"Record Window End","pid":"","tid":"","ts":1}],)"
      R"("distributedInfo":{"rank":0},"deviceProperties":[{"id":1,"name":"NVIDIA B"},{"id":0,"name":"NVIDIA A","computeMajor":8,"computeMinor":6}]})";
  const Read read = readText(odd, StepSelection::Auto, "folder/run.pt.trace.json");
  REQUIRE_MESSAGE(read.timeline, read.reported);
  CHECK(read.timeline->target.device == "NVIDIA A");
  CHECK(read.timeline->target.arch == "sm_86");
  CHECK(read.timeline->label == "run");
  CHECK(read.timeline->file == "run.pt.trace.json");
  const EventIndex gemm = find(*read.timeline, "gemm \"x\"");
  CHECK(read.timeline->startNs[gemm] == 1712345678901234567);
  CHECK(read.timeline->tracks[read.timeline->track[gemm]].name == "stream 7");
}

TEST_CASE("waits, flows and a device's annotations are not work; unknown categories are counted") {
  const Read read = readText(
      "[" + kLaunch + "," + kKernel +
      R"(,{"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":7,"ts":1712345678901235,"dur":5},)"
      R"({"ph":"X","cat":"gpu_user_annotation","name":"ProfilerStep#1","pid":0,"tid":7,"ts":1712345678901230,"dur":50},)"
      R"({"ph":"f","cat":"ac2g","name":"ac2g","id":7,"pid":0,"tid":7,"ts":1712345678901234,"bp":"e"},)"
      R"({"ph":"X","cat":"something_new","name":"x","pid":0,"tid":7,"ts":1712345678901234,"dur":1}])");
  REQUIRE(read.timeline);
  CHECK(read.timeline->selectedEvents().size() == 1);
  CHECK(read.timeline->iterations[0].name == "whole trace");
  CHECK(problemCount(*read.timeline, "unknown-category") == 1);
}

TEST_CASE("the vendor is known from the device's name, the file's versions, or the calls") {
  const std::string events = R"("traceEvents":[)" + kLaunch + "," + kKernel + "]}";
  CHECK(readText("{" + events).timeline->target.vendor == "nvidia");
  CHECK(readText(R"({"hip_runtime_version":6,)" + events).timeline->target.vendor == "amd");
  const Read amd = readText(
      R"({"cuda_version":1,"deviceProperties":[{"id":0,"name":"AMD Instinct MI250X","computeMajor":9,"computeMinor":0}],)" +
      events);
  CHECK(amd.timeline->target.vendor == "amd");
  CHECK(amd.timeline->target.arch == "gfx90a");
  CHECK(readText(R"({"deviceProperties":[{"id":0,"name":"NVIDIA A100"}],"traceEvents":[)" + kOperator + "]}")
            .timeline->target.vendor == "cpu");
}

TEST_CASE("integer times since the epoch and decimals after `baseTimeNanoseconds` are both read as they are written") {
  const auto at = [](const std::string& ts, const std::string& dur, const std::string& before = "") {
    const Read read =
        readText("{" + before + R"("traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":)" + ts +
                 R"(,"dur":)" + dur + "}]}");
    REQUIRE_MESSAGE(read.timeline, read.reported);
    return std::pair(read.timeline->startNs[0], read.timeline->durationNs[0]);
  };
  CHECK(at("1683564901548726", "3") == std::pair<int64_t, int64_t>(1683564901548726000, 3000));
  CHECK(at("1712345678901234.567", "0.001") == std::pair<int64_t, int64_t>(1712345678901234567, 1));
  const std::string base = R"("displayTimeUnit":"ns","baseTimeNanoseconds":1710000000000000000,)";
  CHECK(at("1419247332972.313", "3.136", base) == std::pair<int64_t, int64_t>(1419247332972313, 3136));
}

TEST_CASE("an `External id` that collides with another operator's joins nothing") {
  const Read read = readText(
      R"([{"ph":"X","cat":"cpu_op","name":"aten::mul","pid":1,"tid":1,"ts":1,"dur":9,"args":{"External id":7}},)"
      R"({"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":20,"dur":9,"args":{"External id":8}},)"
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":22,"dur":2,)"
      R"("args":{"External id":8,"correlation":7}},)"
      R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":40,"dur":1,"args":{"External id":7,"correlation":7}}])");
  REQUIRE(read.timeline);
  CHECK(read.timeline->host->launchOp[0] == findHost(*read.timeline, "aten::add"));
}

TEST_CASE("a text that is cut ends inside no escape") {
  const auto repeated = [](std::string text, std::string_view part, size_t times) {
    for (size_t i = 0; i < times; ++i) text += part;
    return text;
  };
  for (size_t before = 0; before < 12; ++before)
    for (const auto& [escape, character] :
         {std::pair(R"(\u00e9)", "\u00e9"), std::pair(R"(\ud83d\ude00)", "\U0001F600"), std::pair(R"(\n)", "\n"),
          std::pair(R"(\\)", "\\")}) {
      CAPTURE(before);
      CAPTURE(escape);
      const std::string begin(before, 'a');
      const Read read =
          readText(R"({"traceEvents":[{"ph":"X","cat":")" + repeated(begin, escape, 100) +
                   R"(","name":"x","pid":0,"tid":7,"ts":1,"dur":1},)" + R"({"ph":"X","cat":"kernel","name":")" +
                   repeated(begin, escape, 300'000) + R"(","pid":0,"tid":7,"ts":1,"dur":1}]})");
      REQUIRE_MESSAGE(read.timeline, read.reported);
      const Timeline& timeline = *read.timeline;
      CHECK(std::string_view(timeline.text(timeline.name[0])).starts_with(repeated(begin, character, 10'000)));
      for (const DataProblem& problem : timeline.problems)
        if (problem.name == "unknown-category") CHECK(contains(problem.what, "`" + repeated(begin, character, 4)));
    }
}

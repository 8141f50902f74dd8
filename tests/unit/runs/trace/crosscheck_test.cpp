// Figures that other tools, or exact arithmetic, give on recorded traces.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "replay/runtimes/runtime.h"
#include "replay/timeline/cpu_work.h"
#include "replay/timeline/totals.h"
#include "tests/unit/runs/trace/trace_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;

namespace {

struct Expected {
  const char* path;
  int64_t events;
  int64_t busyNs;
  int64_t deviceNs;
  int64_t wallNs;
  const char* vendor;
  const char* arch;
};

/// Total time of selected device events by the name of the operator that launched them.
std::map<std::string, std::pair<int64_t, int64_t>> byLaunchingOperator(const Timeline& t) {
  std::map<std::string, std::pair<int64_t, int64_t>> out;
  for (EventIndex event : t.selectedEvents()) {
    auto& [count, ns] =
        out[t.host->launchOp[event].isNone() ? "" : std::string(t.text(t.host->name[t.host->launchOp[event]]))];
    ++count;
    ns += t.durationNs[event];
  }
  return out;
}

}  // namespace

TEST_CASE("device time of recorded traces agrees with exact decimal arithmetic") {
  const Expected all[] = {
      {"traces/h100/bert-small.json.gz", 61, 309437, 309437, 3907825, "nvidia", "sm_90"},
      {"traces/h100/vit-base.json.gz", 156, 1225310, 1225310, 7559844, "nvidia", "sm_90"},
      {"traces/mi300/bert-small.json.gz", 61, 390748, 390748, 3495976, "amd", "gfx942"},
      {"traces/mi300/vit-base.json.gz", 155, 1716301, 1716301, 6868849, "amd", "gfx942"},
      {"traces/hta/alexnet.json.gz", 98, 66141000, 66203000, 12920244000, "nvidia", "sm_80"},
      {"traces/hta/simple_add.json.gz", 98, 49758000, 49816000, 16025575000, "nvidia", "sm_80"},
      {"traces/misc/torch_compile_triton.json.gz", 12, 12549021, 12549021, 12549032, "amd", "gfx942"},
      {"reference/amdahl4ml/trace_dense_layer.json", 19, 98000, 98000, 3218000, "nvidia", "sm_86"},
  };
  for (const Expected& expected : all) {
    const auto bytes = sharedFile(expected.path);
    if (!bytes) continue;
    CAPTURE(expected.path);
    const Read read = readText(*bytes, StepSelection::All);
    REQUIRE_MESSAGE(read.timeline, read.reported);
    const TimelineTotals totals = timelineTotals(*read.timeline);
    CHECK(read.timeline->hasDevice);
    CHECK(totals.events == expected.events);
    CHECK(totals.busy.totalNs == expected.busyNs);
    CHECK(totals.device.totalNs == expected.deviceNs);
    REQUIRE(totals.wall);
    CHECK(totals.wall->totalNs == expected.wallNs);
    CHECK(totals.busy.totalNs + totals.idle->totalNs == totals.wall->totalNs);
    CHECK(read.timeline->target.vendor == expected.vendor);
    CHECK(read.timeline->target.arch == expected.arch);
    CHECK(read.timeline->target.runtime == "pytorch");
    for (EventIndex event : read.timeline->selectedEvents()) CHECK_FALSE(read.timeline->host->launchOp[event].isNone());
  }
}

TEST_CASE("the reference's run: durations, window, operators and modules of each kernel") {
  const auto bytes = sharedFile("reference/amdahl4ml/trace_dense_layer.json");
  if (!bytes) return;
  const Read read = readText(*bytes);
  REQUIRE(read.timeline);
  const Timeline& t = *read.timeline;
  REQUIRE(t.iterations.size() == 1);
  CHECK(t.iterations[0].name == "model_inference");
  CHECK(timelineTotals(t).window->totalNs == 6286000);

  const std::pair<int64_t, const char*> expected[] = {{7, "aten::addmm"},
                                                      {6, "aten::addmm"},
                                                      {6, "aten::addmm"},
                                                      {4, "aten::copy_"},
                                                      {4, "aten::copy_"},
                                                      {3, "aten::bmm"},
                                                      {2, "aten::div"},
                                                      {3, "aten::_softmax"},
                                                      {3, "aten::copy_"},
                                                      {3, "aten::bmm"},
                                                      {3, "aten::copy_"},
                                                      {6, "aten::addmm"},
                                                      {2, "aten::add"},
                                                      {5, "aten::native_layer_norm"},
                                                      {15, "aten::addmm"},
                                                      {4, "aten::gelu"},
                                                      {14, "aten::addmm"},
                                                      {3, "aten::add"},
                                                      {5, "aten::native_layer_norm"}};
  const std::vector<EventIndex> events = t.selectedEvents();
  REQUIRE(events.size() == std::size(expected));
  for (size_t i = 0; i < events.size(); ++i) {
    CAPTURE(i);
    CHECK(t.durationNs[events[i]] == expected[i].first * 1000);
    CHECK(t.text(t.host->name[t.host->launchOp[events[i]]]) == expected[i].second);
  }
  std::vector<std::string> frames;
  for (const HostEventId frame : around(t, events[14], EventKind::ModuleFrame))
    frames.emplace_back(t.text(t.host->name[frame]));
  CHECK(frames ==
        std::vector<std::string>{"nn.Module: Linear_4", "nn.Module: BertIntermediate_0", "nn.Module: BertLayer_0"});
}

TEST_CASE("BERT on an H100 by operator, with its step's length and launch facts") {
  const auto bytes = sharedFile("traces/h100/bert-small.json.gz");
  if (!bytes) return;
  const Read read = readText(*bytes);
  REQUIRE(read.timeline);
  const Timeline& t = *read.timeline;
  CHECK(t.iterations[0].name == "ProfilerStep#6");
  CHECK(timelineTotals(t).window->totalNs == 4426114);
  auto byOperator = byLaunchingOperator(t);
  using Row = std::pair<int64_t, int64_t>;
  CHECK(byOperator["aten::addmm"] == Row(26, 197598));
  CHECK(byOperator["aten::_flash_attention_forward"] == Row(4, 37408));
  CHECK(byOperator["aten::native_layer_norm"] == Row(10, 30912));
  CHECK(byOperator["aten::add"] == Row(9, 14752));
  CHECK(byOperator["aten::index_select"] == Row(3, 9824));
  CHECK(byOperator["aten::gelu"] == Row(5, 9599));

  const EventIndex first = t.selectedEvents().front();
  REQUIRE(t.launchFactsOf(first));
  CHECK(t.launchFactsOf(first)->grid[0] == 564);
  CHECK(t.launchFactsOf(first)->block[0] == 128);
  CHECK(t.launchFactsOf(first)->registers == 32);
  CHECK(t.tracks[t.track[first]].thread == "7");
  const HostEventId embedding = around(t, first, EventKind::Operator).back();
  REQUIRE(t.host->operatorFactsOf(embedding));
  CHECK(t.host->operatorFactsOf(embedding)->inputDims[0] == std::vector<int64_t>{30522, 512});
  CHECK(t.host->operatorFactsOf(embedding)->inputTypes[0] == "c10::BFloat16");
}

TEST_CASE("self time of CPU operators in recorded steps; a computing operator for each kernel of a GPU") {
  // Events and busy time are from a sweep over all begins and ends in another language.
  struct Step {
    const char* path;
    size_t iterations;
    size_t which;
    int64_t events;
    int64_t leaves;
    int64_t busyNs;
    int64_t windowNs;
  };
  const Step all[] = {
      {"traces/cpu/bert-small-fp32-eager.json.gz", 4, 1, 1049, 60, 118334043, 121255577},
      {"traces/cpu/resnet18-eager.json.gz", 4, 1, 783, 69, 42775908, 44432969},
      {"traces/cpu/bert-small-fp32-inductor.json.gz", 4, 1, 486, 30, 120396993, 120692541},
      {"traces/cpu/resnet18-inductor.json.gz", 4, 1, 224, 21, 42538316, 42812623},
      {"../examples/encoder.trace.json.gz", 5, 1, 538, 31, 6460282, 7289069},
  };
  for (const Step& expected : all) {
    CAPTURE(expected.path);
    std::optional<std::string> bytes;
    if (std::string_view(expected.path).starts_with("../examples")) {
      DiagnosticEngine engine;
      bytes = readFile(std::string_view(expected.path).substr(3), uint64_t{1} << 30, engine);
      REQUIRE(bytes);
    } else {
      bytes = sharedFile(expected.path);
    }
    if (!bytes) continue;
    const Read read = readText(*bytes);
    REQUIRE(read.timeline);
    CHECK_FALSE(read.timeline->hasDevice);
    CHECK(read.timeline->target.vendor == "cpu");
    const std::vector<IterationTimes> times = iterationTimes(*read.timeline);
    REQUIRE(times.size() == expected.iterations);
    CHECK_FALSE(read.timeline->iterations[0].selected());
    CHECK(times[expected.which].events == expected.events);
    CHECK(times[expected.which].busyNs == expected.busyNs);
    CHECK(times[expected.which].deviceNs == expected.busyNs);
    CHECK(times[expected.which].windowNs == expected.windowNs);
    const CpuWork work(*read.timeline);
    int64_t leaves = 0;
    for (const HostEventId event : work.leafOf.ids())
      leaves +=
          work.leafOf[event] == event && read.timeline->host->iteration[event] == static_cast<int32_t>(expected.which);
    CHECK(leaves == expected.leaves);
  }
}

TEST_CASE("every recorded Kineto trace can be read") {
  const std::filesystem::path root = "../shared/traces";
  if (!std::filesystem::exists(root)) {
    MESSAGE("skipped: no ../shared/traces");
    return;
  }
  std::vector<std::filesystem::path> paths;
  for (const char* folder : {"hta", "h100", "mi300", "cpu", "misc"})
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  CHECK(paths.size() >= 20);
  for (const auto& path : paths) {
    CAPTURE(path.string());
    DiagnosticEngine engine;
    const auto bytes = readFile(path, uint64_t{1} << 32, engine);
    REQUIRE(bytes);
    const Read read = readText(*bytes, StepSelection::Auto, path.string());
    REQUIRE_MESSAGE(read.timeline, read.reported);
    // In `cpu_only` four operators run, all before the only step.
    CHECK(read.timeline->selectedEvents().empty() == (path.filename() == "cpu_only.json.gz"));
    CHECK(read.timeline->label == path.filename().string().substr(0, path.filename().string().find('.')));
  }
}

TEST_CASE("a trace with the category names of 2022") {
  const auto bytes = sharedFile("traces/hta/old_category_names.json.gz");
  if (!bytes) return;
  const Read read = readText(*bytes);
  REQUIRE(read.timeline);
  CHECK(timelineTotals(*read.timeline).events == 4);
  CHECK(read.timeline->target.vendor == "nvidia");
  for (EventIndex event : read.timeline->selectedEvents()) CHECK_FALSE(read.timeline->host->launch[event].isNone());
}

TEST_CASE("the operators that launched the events of a recorded Nsight export, by SQL on its tables") {
  const auto bytes = sharedFile("traces/nsys/h100_2gpu_1s.sqlite");
  if (!bytes) return;
  std::map<std::string, std::pair<int64_t, int64_t>> operators;
  const std::tuple<const char*, const char*, int64_t> devices[] = {{"0", "0/7", 962890247}, {"1", "1/15", 962810705}};
  for (const auto& [device, stream, busyNs] : devices) {
    TraceSelection selection = StepSelection::All;
    selection.device = device;
    const Read read = readText(*bytes, selection);
    REQUIRE_MESSAGE(read.timeline, read.reported);
    for (const auto& [name, time] : byLaunchingOperator(*read.timeline)) {
      operators[name].first += time.first;
      operators[name].second += time.second;
    }
    CHECK(read.timeline->target.vendor == "nvidia");
    CHECK(read.timeline->target.runtime == "pytorch");
    const std::vector<TimelineTotals::Row> streams = timelineTotals(*read.timeline).streams;
    REQUIRE(streams.size() == 1);
    CHECK((streams[0].name == stream && streams[0].events == 2184 && streams[0].busy.totalNs == busyNs));
  }
  CHECK(operators.size() == 29);
  CHECK(operators[""] == std::pair<int64_t, int64_t>(2276, 842494947));  // launched before the recording began
  CHECK(operators["aten::copy_"] == std::pair<int64_t, int64_t>(568, 1060392666));
  CHECK(operators["aten::mm"] == std::pair<int64_t, int64_t>(264, 19893362));
  CHECK(operators["aten::mean"] == std::pair<int64_t, int64_t>(54, 496417));
}

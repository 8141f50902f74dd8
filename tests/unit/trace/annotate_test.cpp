#include "trace/annotate.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "trace_fixture.h"

namespace amdahlc::testing {
namespace {

using Json = nlohmann::json;

class TextSink : public ByteSink {
 public:
  bool write(std::string_view bytes) override {
    text += bytes;
    return true;
  }
  std::string text;
};

/// Says of each event of the timeline which one it is.
TraceAnnotations numbered(const Timeline& timeline) {
  TraceAnnotations annotations;
  annotations.marks = {{R"("amdahlc state":"bound")"}, {R"("amdahlc state":"unknown")", "unknown", "terrible"}};
  for (EventIndex event = 0; event < timeline.size(); ++event) {
    annotations.subjects.push_back(fmt::format("\"index\":{}", event));
    annotations.events.push_back({event, event % 2});
  }
  return annotations;
}

struct Copied {
  bool good = false;
  std::string text, reported;
};

Copied copied(std::string_view bytes, const Timeline& timeline, const TraceAnnotations& annotations) {
  Copied out;
  const SourceManager sources;
  DiagnosticEngine engine([&](const Diagnostic& diagnostic) { out.reported += render(diagnostic, sources, false); });
  TextSink sink;
  out.good = trace::writeAnnotatedBytes(bytes, timeline, annotations, sink, engine);
  out.text = std::move(sink.text);
  return out;
}

Copied copied(std::string_view bytes, const Timeline& timeline) { return copied(bytes, timeline, numbered(timeline)); }

const std::string kTrace = R"({"schemaVersion": 1, "deviceProperties": [{"id": 0}],
 "traceEvents": [
 {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 5, "dur": 20.50, "odd": [1, {"x": null}]},
 {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 6, "dur": 1, "args": {"correlation": 3}},
 {"ph": "X", "cat": "kernel", "name": "late", "pid": 0, "tid": 7, "ts": 40.000, "dur": 5, "args": { "correlation": 4 , "grid": [1, 2, 3] } },
 {"ph": "X", "cat": "kernel", "name": "k\"q", "pid": 0, "tid": 7, "ts": 10, "dur": 5, "args": {"correlation": 3}},
 {"ph": "X", "cat": "kernel", "name": "none", "pid": 0, "tid": 7, "ts": 20, "dur": 5},
 {"ph": "X", "cat": "kernel", "name": "empty", "pid": 0, "tid": 7, "ts": 30, "dur": 5, "args": {}},
 {"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 3, "pid": 1, "tid": 1, "ts": 6}
], "traceName": "x"})";

/// The event of the copy with this name.
Json named(const Json& copy, const std::string& name) {
  for (const Json& event : copy["traceEvents"])
    if (event["name"] == name) return event;
  return nullptr;
}

TEST_CASE("each event of a copy has the annotation of its event, and is otherwise as it was") {
  const Read read = readText(kTrace);
  REQUIRE(read.timeline);
  const Copied copy = copied(kTrace, *read.timeline);
  REQUIRE_MESSAGE(copy.good, copy.reported);
  CHECK(copy.reported.empty());
  const Json after = Json::parse(copy.text), before = Json::parse(kTrace);
  for (auto event = EventIndex(0); event < read.timeline->size(); ++event)
    CHECK(named(after, std::string(read.timeline->text(read.timeline->name[event])))["args"]["index"] == event);
  for (size_t i = 0; i < before["traceEvents"].size(); ++i) {
    Json event = after["traceEvents"][i];
    if (event.contains("args")) {
      event["args"].erase("index");
      event["args"].erase("amdahlc state");
      if (event["args"].empty() && !before["traceEvents"][i].contains("args")) event.erase("args");
    }
    CHECK(event == before["traceEvents"][i]);
  }
  // Digits and blanks stay.
  CHECK(copy.text.find(R"("ts": 40.000, "dur": 5, "args": { "correlation": 4 , "grid": [1, 2, 3],"index":)") !=
        std::string::npos);
  CHECK(copy.text.find(R"("dur": 20.50, "odd": [1, {"x": null}]})") != std::string::npos);
  CHECK(after["traceName"] == "x");
  CHECK(after["schemaVersion"] == 1);
}

TEST_CASE(
    "events that the timeline cannot tell apart are told apart, and one that is in the file twice is annotated once") {
  // Equal to the last digit, but of different launches, and of none.
  const auto kernel = [](const char* arguments) {
    return fmt::format(R"({{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10,"dur":5,"args":{{{}}}}})",
                       arguments);
  };
  const std::string text = "[" + kernel(R"("grid":[1,1,1])") + "," + kernel(R"("grid":[2,1,1])") + "," +
                           kernel(R"("correlation":1)") + "," + kernel(R"("correlation":1)") + "]";
  const Read read = readText(text);
  REQUIRE(read.timeline);
  REQUIRE(read.timeline->size() == 3);
  const Json copy = Json::parse(copied(text, *read.timeline).text);
  for (const auto& [place, grid] : {std::pair(0, 1), std::pair(1, 2)}) {
    const EventIndex event = copy[static_cast<size_t>(place)]["args"]["index"];
    REQUIRE(read.timeline->launchFactsOf(event));
    CHECK(read.timeline->launchFactsOf(event)->grid[0] == grid);
  }
  CHECK(copy[2]["args"].contains("index"));
  CHECK_FALSE(copy[3]["args"].contains("index"));
}

/// The copy of whatever can be read is JSON, and reading it gives the same events. Returns whether it can be read.
bool checkCopy(const std::string& text) {
  const Read read = readText(text);
  if (!read.timeline) return false;
  const Copied copy = copied(text, *read.timeline);
  CAPTURE(text);
  CAPTURE(copy.text);
  REQUIRE_MESSAGE(copy.good, copy.reported);
  REQUIRE(Json::accept(copy.text));
  if (copy.reported.find("the annotated copy lacks") != std::string::npos) return true;
  const Read again = readText(copy.text);
  REQUIRE_MESSAGE(again.timeline, again.reported);
  CHECK(deviceEventDifference(*again.timeline, *read.timeline).empty());
  CHECK(again.timeline->host->size() == read.timeline->host->size());
  return true;
}

TEST_CASE("the copy of a damaged trace is valid, and has the events that reading keeps") {
  size_t copies = 0;
  for (size_t at = 0; at < kTrace.size(); ++at)
    for (const char byte : {'"', '{', ']', ',', '\\', '\0', '9', '\xFF', 'n'}) {
      std::string text = kTrace;
      text[at] = byte;
      copies += checkCopy(text);
    }
  CHECK(copies > kTrace.size());
}

TEST_CASE("values that are not JSON become strings, and an event that is not JSON is left out") {
  const auto replaced = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  const std::string text =
      replaced(kTrace, R"("grid": [1, 2, 3])", R"("occupancy": -nan, "path": "C:\x", "grid": [01])");
  const Read read = readText(text);
  REQUIRE_MESSAGE(read.timeline, read.reported);
  const Copied copy = copied(text, *read.timeline);
  CHECK(copy.reported.find("1 element with numbers, words or escapes") != std::string::npos);
  const Json late = named(Json::parse(copy.text), "late");
  CHECK(late["args"]["occupancy"] == "-nan");
  CHECK(late["args"]["path"] == "C:\\x");
  CHECK(late["args"]["grid"] == Json::array({"01"}));
  CHECK(late["args"].contains("index"));

  const std::string odd = replaced(kTrace, R"("odd": [1, {"x": null}])", R"("odd": [1 {"x" null}])");
  const Read oddRead = readText(odd);
  REQUIRE_MESSAGE(oddRead.timeline, oddRead.reported);
  const Copied oddCopy = copied(odd, *oddRead.timeline);
  CHECK(oddCopy.reported.find("1 element that reading accepts but that is not JSON") != std::string::npos);
  const Json rest = Json::parse(oddCopy.text);
  CHECK(named(rest, "aten::mm").is_null());
  CHECK(named(rest, "late")["args"]["index"] == 3);
}

TEST_CASE("a path is a flow with an id of its own, between the middles of its events") {
  std::string text = kTrace;
  text.replace(text.find("\"id\": 3"), 7, "\"id\": \"0x616d646100000000\"");
  const Read read = readText(text);
  REQUIRE(read.timeline);
  TraceAnnotations annotations = numbered(*read.timeline);
  annotations.paths = {{"step \"1\"", {0, 1, 3}}, {"alone", {2}}};
  const Json copy = Json::parse(copied(text, *read.timeline, annotations).text);
  std::string phases;
  for (const Json& event : copy["traceEvents"]) {
    if (event.value("cat", "") != "amdahlc critical path") continue;
    phases += event["ph"].get<std::string>();
    CHECK(event["id"] == "0x616d646100000001");
    CHECK(event["pid"] == 0);
    CHECK(event["tid"] == 7);
    CHECK(event["args"]["iteration"] == "step \"1\"");
    if (event["ph"] == "s") CHECK(event["ts"] == 12.5);
  }
  CHECK(phases == "stf");
}

TEST_CASE("unbound time is on a track beside the track of its events, and slices do not cross") {
  const std::string text = R"([{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":10,"dur":10},
    {"ph":"X","cat":"kernel","name":"b","pid":0,"tid":7,"ts":20,"dur":10},
    {"ph":"X","cat":"kernel","name":"c","pid":0,"tid":7,"ts":25,"dur":10},
    {"ph":"X","cat":"kernel","name":"d","pid":0,"tid":7,"ts":50,"dur":1},
    {"ph":"X","cat":"kernel","name":"e","pid":0,"tid":8,"ts":50,"dur":1}])";
  const Read read = readText(text);
  REQUIRE(read.timeline);
  TraceAnnotations annotations;
  annotations.marks = {{"\"m\":0"}, {"\"m\":1", "unknown", "terrible"}, {"\"m\":2", "foreign", "grey"}};
  for (const uint32_t mark : {1U, 1U, 2U, 0U, 1U}) annotations.events.push_back({TraceAnnotations::kNone, mark});
  const Json copy = Json::parse(copied(text, *read.timeline, annotations).text);
  std::map<std::string, Json> stretches;
  for (const Json& event : copy)
    if (event["ph"] == "X" && event["cat"] == "amdahlc")
      stretches[fmt::format("{} {}", event["tid"].get<int>(), event["name"].get<std::string>())] = event;
  REQUIRE(stretches.size() == 3);
  CHECK(stretches["0 unknown"]["ts"] == 10);
  CHECK(stretches["0 unknown"]["dur"] == 20);
  CHECK(stretches["0 unknown"]["args"]["events"] == 2);
  CHECK(stretches["0 foreign"]["ts"] == 30);
  CHECK(stretches["0 foreign"]["dur"] == 5);
  CHECK(stretches["1 unknown"]["ts"] == 50);
}

TEST_CASE("stretches of an operator are told on the operator, by what most of its own time is") {
  const std::string text = R"([{"ph":"X","cat":"cpu_op","name":"aten::outer","pid":1,"tid":1,"ts":10,"dur":100},
    {"ph":"X","cat":"cpu_op","name":"aten::inner","pid":1,"tid":1,"ts":20,"dur":30}])";
  const Read read = readText(text);
  REQUIRE(read.timeline);
  REQUIRE(read.timeline->size() == 3);
  const Json copy = Json::parse(copied(text, *read.timeline).text);
  CHECK(copy[0]["args"]["index"] == 2);
  CHECK(copy[0]["args"]["amdahlc stretches"] == 2);
  CHECK(copy[0]["args"]["amdahlc other us"] == 10);
  CHECK(copy[1]["args"]["index"] == 1);
}

TEST_CASE("a file that changed, one that is annotated and one of another format are errors") {
  const Read read = readText(kTrace);
  REQUIRE(read.timeline);
  std::string other = kTrace;
  other[other.find("late")] = 'L';
  const Copied changed = copied(other, *read.timeline);
  CHECK_FALSE(changed.good);
  CHECK(changed.reported.find("error[trace-changed]") != std::string::npos);

  const std::string annotated = copied(kTrace, *read.timeline).text;
  const Read again = readText(annotated);
  REQUIRE(again.timeline);
  const Copied twice = copied(annotated, *again.timeline);
  CHECK_FALSE(twice.good);
  CHECK(twice.reported.find("has annotations already") != std::string::npos);

  const std::string layers = R"([{"count":2},{"name":"a","timeMs":1,"averageMs":0.5,"percentage":100}])";
  const Read profile = readText(layers);
  REQUIRE_MESSAGE(profile.timeline, profile.reported);
  CHECK_FALSE(trace::whyNotAnnotated(*profile.timeline).empty());
  CHECK_FALSE(copied(layers, *profile.timeline).good);
}

}  // namespace
}  // namespace amdahlc::testing

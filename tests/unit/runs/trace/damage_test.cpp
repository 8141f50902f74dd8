#include <doctest/doctest.h>

#include <string>

#include "runs/files/trace_file.h"
#include "tests/unit/runs/trace/trace_fixture.h"
#include "tests/unit/support/gzipped.h"

using namespace amdahlc;
using namespace amdahlc::testing;

namespace {

const std::string kGood =
    R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA A"}],"traceEvents":[)"
    R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":10.5,"dur":2,"args":{"correlation":7}},)"
    R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":20,"dur":1e1,"args":{"correlation":7,"grid":[1,1,1]}}],"traceName":"x"})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a trace cut off at any byte is an error with a place, plain and gzipped") {
  REQUIRE(readText(kGood).timeline);
  REQUIRE(readText(gzipped(kGood)).timeline);
  for (size_t length = 0; length < kGood.size(); ++length) {
    CAPTURE(length);
    const Read read = readText(std::string_view(kGood).substr(0, length));
    CHECK_FALSE(read.timeline);
    if (length > 0) CHECK(contains(read.reported, "trace-syntax"));
    if (length > 0) CHECK(contains(read.reported, "byte " + std::to_string(length)));
  }
  const std::string packed = gzipped(kGood);
  for (size_t length = 2; length < packed.size(); ++length)
    CHECK(contains(readText(std::string_view(packed).substr(0, length)).reported, "compressed-damaged"));
}

TEST_CASE("a recorded trace cut off in several places is an error") {
  const auto bytes = sharedFile("traces/hta/event_sync.json.gz");
  if (!bytes) return;
  DiagnosticEngine engine;
  const auto text = trace::TraceFile::inMemory(*bytes, "t", engine)->readAll(uint64_t{1} << 30);
  REQUIRE(text);
  for (size_t part = 1; part < 40; ++part)
    CHECK_FALSE(readText(std::string_view(*text).substr(0, text->size() * part / 40)).timeline);
}

TEST_CASE("any changed byte gives a timeline or an error, never a crash") {
  for (size_t at = 0; at < kGood.size(); ++at)
    for (const char byte : {'"', '{', ']', ',', '\\', '\0', '9', '\xFF'}) {
      std::string text = kGood;
      text[at] = byte;
      const Read read = readText(text);
      // What is left may be a trace without the damaged event, which is a warning.
      const bool warned = contains(read.reported, "warning[trace-syntax]");
      CHECK(read.timeline.has_value() == (read.reported.empty() || warned));
    }
}

TEST_CASE("a damaged event is left out and reported at its byte") {
  const size_t quote = kGood.find("\"grid\"");
  const Read damaged = readText(replaced(kGood, "\"grid\"", "\"g\"\"rid\""));
  REQUIRE_MESSAGE(damaged.timeline, damaged.reported);
  CHECK(contains(damaged.reported, "t.json: byte " + std::to_string(quote + 3) + ": warning[trace-syntax]"));
  CHECK(problemCount(*damaged.timeline, "invalid-json") == 1);
  CHECK(damaged.timeline->host->size() == 1);
  const Read trailing = readText(kGood + "}");
  CHECK(contains(trailing.reported, "byte " + std::to_string(kGood.size()) + ": error[trace-syntax]"));
  // Nothing tells what is missing if no event is left.
  const Read nothing = readText(R"({"traceEvents":[{"ph":"X""cat":"kernel"}]})");
  CHECK_FALSE(nothing.timeline);
  CHECK(contains(nothing.reported, "byte 25: error[trace-syntax]"));
}

TEST_CASE("a name that JSON does not allow is read up to the next key of its event") {
  const std::pair<std::string, std::string> names[] = {
      {"k\"inner\"", "k\"inner\""}, {"\"", "\""},    {"a\", \"b", "a\", \"b"},
      {"a\tb\nc", "a b c"},         {"\xC3(", "?("}, {"\\l", "\\l"},
  };
  for (const auto& [written, expected] : names) {
    CAPTURE(expected);
    const Read read = readText(replaced(kGood, "\"k\"", "\"" + written + "\""));
    REQUIRE_MESSAGE(read.timeline, read.reported);
    CHECK(read.reported.empty());
    CHECK(find(*read.timeline, expected) != kNoEvent);
    CHECK(problemCount(*read.timeline, "invalid-name") == (written == "\\l" ? 0 : 1));
  }
}

TEST_CASE("an event counts once, and only if nothing but a comma follows it") {
  const auto kernel = [](const std::string& name, int at) {
    return R"({"ph":"X","cat":"kernel","name":")" + name + R"(","pid":0,"tid":7,"ts":)" + std::to_string(at) +
           R"(,"dur":5})";
  };
  // The first byte makes the window unreadable as a whole, and no comma is between the next two events.
  const Read glued = readText("[" + kernel("\xFF", 10) + "," + kernel(R"(a\"b)", 20) + kernel("second", 30) + "," +
                              kernel("last", 40) + "]");
  REQUIRE_MESSAGE(glued.timeline, glued.reported);
  CHECK(glued.timeline->size() == 2);
  CHECK(find(*glued.timeline, "?") != kNoEvent);
  CHECK(find(*glued.timeline, "last") != kNoEvent);
  CHECK(problemCount(*glued.timeline, "invalid-json") == 1);
  // A name that holds what an event ends with, in a window that cannot be read as a whole.
  const std::string odd = R"({"name":"k<z"}],bz q q">","ph":"X","cat":"kernel","pid":0,"tid":7,"ts":20,"dur":5})";
  const Read inside = readText("[" + kernel("\xFF", 10) + "," + odd + "," + kernel("last", 40) + "]");
  REQUIRE_MESSAGE(inside.timeline, inside.reported);
  CHECK(find(*inside.timeline, R"(k<z"}],bz q q">)") != kNoEvent);
  CHECK(inside.timeline->size() == 3);
  // Escapes of a name that is mended for another reason stay escapes.
  const Read escaped = readText("[" + kernel("a\\\"b\xFF", 10) + "]");
  REQUIRE_MESSAGE(escaped.timeline, escaped.reported);
  CHECK(find(*escaped.timeline, "a\"b?") != kNoEvent);
}

TEST_CASE("events behind a damaged one are read, whatever the windows") {
  std::string text = R"({"traceEvents":[)";
  const auto kernel = [](int i) {
    return R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":)" + std::to_string(10 * i) +
           R"(,"dur":5,"args":{"correlation":)" + std::to_string(i) + "}}";
  };
  constexpr int kEvents = 20'000;
  constexpr int kEvery = 997;
  int damaged = 0;
  for (int i = 1; i <= kEvents; ++i) {
    std::string event = kernel(i);
    if (i % kEvery == 0) {
      event = replaced(event, R"("pid":0)", i % 2 == 0 ? R"("pid":"0)" : R"("pid"0)");
      ++damaged;
    }
    text += event + (i == kEvents ? "" : i % 3 == 0 ? ",\n" : ",");
  }
  text += R"(],"traceName":"x"})";
  const Read read = readText(text);
  REQUIRE_MESSAGE(read.timeline, read.reported);
  CHECK(read.timeline->size() == kEvents - damaged);
  CHECK(problemCount(*read.timeline, "invalid-json") == damaged);
}

TEST_CASE("an event may be larger than a window, and a field too") {
  const std::string large(3'000'000, 'x');
  const std::string blanks(700'000, ' ');
  const Read read =
      readText(R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA A"}],"other":[")" + large + R"("],)" +
               blanks + R"("traceEvents":[)" + blanks +
               R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":20,"dur":1,"args":{"long":")" + large +
               R"("}})" + blanks + "]," + blanks + R"("more":{"a":[")" + large + R"("]}})" + blanks);
  REQUIRE_MESSAGE(read.timeline, read.reported);
  CHECK(read.timeline->size() == 1);
  CHECK(read.timeline->target.device == "NVIDIA A");
}

TEST_CASE("a time that is not a number is an error at its byte, a missing one is counted") {
  const size_t place = kGood.find("1e1");
  for (const char* bad : {"nan", "\"soon\"", "1e99", "[]", "-"}) {
    const Read read = readText(replaced(kGood, "1e1", bad));
    CAPTURE(read.reported);
    CHECK_FALSE(read.timeline);
    CHECK(contains(read.reported, "t.json: byte " + std::to_string(place) + ": error[trace-"));
  }
  const Read missing = readText(replaced(kGood, "\"ts\":10.5,", ""));
  REQUIRE(missing.timeline);
  bool counted = false;
  for (const DataProblem& problem : missing.timeline->problems) counted |= problem.name == "incomplete-event";
  CHECK(counted);
}

TEST_CASE("wrong shapes are errors, not crashes") {
  CHECK(contains(readText(R"({"traceEvents":5})").reported, "trace-invalid"));
  CHECK(contains(readText(R"({"traceEvents":[5]})").reported, "trace-invalid"));
  CHECK(readText(R"({"traceEvents":[]})").timeline->size() == 0);
  CHECK(contains(readText(R"({"events":[]})").reported, "with `events`"));
  CHECK(contains(readText("[]").reported, "trace-unknown-format"));
  CHECK(contains(readText("[[1]]").reported, "trace-unknown-format"));
  CHECK(contains(readText(R"([{"cat":"Scene","ph":"X","ts":1}])").reported, "category `Scene`"));
  CHECK(contains(readText("").reported, "empty"));
  CHECK(contains(readText("17").reported, "not JSON"));
  CHECK(contains(readText(std::string("SQLite format 3\0", 16)).reported, "SQLite"));
  CHECK(contains(readText("\x1f\x8b").reported, "compressed-damaged"));
  const Read odd = readText(
      R"({"deviceProperties":{"a":1},"traceEvents":[{"ph":1,"cat":[],"name":{},"args":[[]]},)"
      R"({"ph":"X","cat":"kernel","name":"k","pid":null,"tid":{},"ts":"1.5","args":{"grid":5,"block":["x"],"Input Dims":[[[[[1]]]]]}}]})");
  REQUIRE_MESSAGE(odd.timeline, odd.reported);
  CHECK(odd.timeline->selectedEvents().size() == 1);
}

TEST_CASE("deep nesting costs no stack") {
  const std::string deep = std::string(2'000'000, '[') + std::string(2'000'000, ']');
  readText(deep);
  readText(R"({"traceEvents":[{"args":{"x":)" + deep + "}}]}");
  readText(R"({"x":)" + deep + R"(,"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":1}]})");
  CHECK_FALSE(readText(std::string(2'000'000, '[')).timeline);
}

TEST_CASE("a field that is not closed before the events, with an open string among these, is an error") {
  const Read read = readText(
      R"({"schemaVersion":1,"deviceProperties":[],"a":[{1],"traceEvents":[{"ph":"X","cat":"kernel","name":"k}]})");
  CHECK_FALSE(read.timeline);
  CHECK(contains(read.reported, "error[trace-syntax]"));
}

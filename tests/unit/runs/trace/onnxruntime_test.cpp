// Profiles of ONNX Runtime, whole and damaged.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "tests/unit/runs/trace/trace_fixture.h"

using namespace amdahlc;
using namespace amdahlc::testing;

namespace {

const std::string kGoodProfile =
    R"([{"cat" : "Session","pid" :1,"tid" :7,"dur" :90,"ts" :5,"ph" : "X","name" :"SequentialExecutor::Execute","args" : {}},)"
    "\n"
    R"({"cat" : "Node","pid" :1,"tid" :7,"dur" :9,"ts" :10,"ph" : "X","name" :"/a/Relu_kernel_time","args" : )"
    R"({"op_name" : "Relu","provider" : "CUDAExecutionProvider","input_type_shape" : [{"float":[1,4]},{"int64":[]}]}},)"
    "\n"
    R"({"cat" : "Kernel","pid" :-1,"tid" :-1,"dur" :3,"ts" :22,"ph" : "X","name" :"relu","args" : )"
    R"({"stream" : "7","grid_x" : "2","parent_name" : "/a/Relu_kernel_time"}}])";

}  // namespace

TEST_CASE("a kernel belongs to the node that its row names") {
  const Read read = readText(kGoodProfile);
  REQUIRE_MESSAGE(read.timeline, read.reported);
  const Timeline& timeline = *read.timeline;
  REQUIRE(timeline.size() == 1);
  CHECK(timeline.startNs[0] == 22000);
  CHECK(timeline.durationNs[0] == 3000);
  CHECK(timeline.text(timeline.name[0]) == "relu");
  CHECK(timeline.statedNode(0) == "/a/Relu");
  CHECK(timeline.text(timeline.host->name[timeline.host->launchOp[0]]) == "Relu");
  CHECK(timeline.launchFactsOf(0)->grid[0] == 2);
  const OperatorFacts& facts = *timeline.host->operatorFactsOf(timeline.host->launchOp[0]);
  CHECK(facts.inputDims == std::vector<std::vector<int64_t>>{{1, 4}, {}});
  CHECK(facts.inputTypes == std::vector<std::string>{"float", "int64"});
  CHECK(timeline.target.vendor == "nvidia");
}

TEST_CASE("a profile cut off at any byte is an error") {
  for (size_t length = 0; length < kGoodProfile.size(); ++length) {
    CAPTURE(length);
    CHECK_FALSE(readText(std::string_view(kGoodProfile).substr(0, length)).timeline);
  }
}

TEST_CASE("any changed byte of a profile gives a timeline or an error, never a crash") {
  for (size_t at = 0; at < kGoodProfile.size(); ++at)
    for (const char byte : {'"', '{', ']', ',', '\\', '\0', '9', '\xFF'}) {
      std::string text = kGoodProfile;
      text[at] = byte;
      const Read read = readText(text);
      const bool warned = read.reported.find("warning[trace-") != std::string::npos;
      CHECK(read.timeline.has_value() == (read.reported.empty() || warned));
    }
}

TEST_CASE("values of wrong types are no facts") {
  for (const std::string value :
       {"3", "[]", "[3]", "[{\"float\":3}]", "[{\"float\":[\"a\"]}]", "null", "{\"a\":[1]}"}) {
    CAPTURE(value);
    const std::string shapes = R"([{"float":[1,4]},{"int64":[]}])";
    std::string text = kGoodProfile;
    text.replace(text.find(shapes), shapes.size(), value);
    CHECK(readText(text).timeline);
  }
}

TEST_CASE("names are read as the runtime meant them, which escapes all or nothing") {
  const std::pair<std::string, std::string> names[] = {
      {R"(a "b" c)", R"(a "b" c)"}, {R"(a \"b\" c)", R"(a "b" c)"},     {R"(C:\net)", R"(C:\net)"},
      {R"(C:\\net)", R"(C:\net)"},  {R"(C:\net "x")", R"(C:\net "x")"},
  };
  for (const auto& [written, meant] : names) {
    CAPTURE(written);
    std::string text = kGoodProfile;
    const std::string node = "/a/Relu";
    for (size_t at = text.find(node); at != std::string::npos; at = text.find(node, at + written.size()))
      text.replace(at, node.size(), written);
    const Read read = readText(text);
    REQUIRE_MESSAGE(read.timeline, read.reported);
    REQUIRE(read.timeline->size() == 1);
    CHECK(read.timeline->statedNode(0) == meant);
  }
}

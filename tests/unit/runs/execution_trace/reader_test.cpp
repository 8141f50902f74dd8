#include <doctest/doctest.h>

#include <string>

#include "tests/unit/runs/execution_trace/execution_trace_fixture.h"
#include "tests/unit/support/gzipped.h"

using namespace amdahlc;
using namespace amdahlc::testing;
using namespace amdahlc::execution_trace;

namespace {

const std::string kProcess =
    R"({"id":1,"name":"[process]","ctrl_deps":1,"inputs":{"values":[]},"outputs":{"values":[]},"attrs":[{"name":"rf_id","type":"uint64","value":0}]})";

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

std::string errorOf(const std::string& text) {
  const EtRead read = readExecutionTraceText(text);
  CHECK_FALSE(read.trace);
  return read.reported;
}

int64_t problem(const ExecutionTrace& trace, std::string_view name) {
  for (const DataProblem& problem : trace.problems)
    if (problem.name == name) return problem.count;
  return 0;
}

}  // namespace

TEST_CASE("facts and values of a node of version 1.1") {
  const std::string node =
      R"({"id":5,"name":"lib::conv \"x\"","ctrl_deps":1,)"
      R"("inputs":{"values":[[6,7,2,6,4,"cuda:0"],[1,-2],true,"<None>",0.000010,"inf","same","cuda:1","<Stream>",[[8,9,0,0,2,""],[]]],)"
      R"("shapes":[[2,3],[[],[]],[],[],[],[],[],[],[],[[0],[]]],)"
      R"et("types":["Tensor(c10::Half)","GenericList[Int,Int]","Bool","None","Double","Double","String","Device","Stream","Tuple[Tensor(long int),GenericList[]]"],)et"
      R"("strides":[[4,1],[[],[]],[],[],[],[],[],[],[],[[1],[]]]},"outputs":{"values":[],"shapes":[],"types":[],"strides":[]},)"
      R"("attrs":[{"name":"rf_id","type":"uint64","value":12},{"name":"fw_parent","type":"uint64","value":1},)"
      R"({"name":"seq_id","type":"int64","value":-1},{"name":"scope","type":"uint64","value":0},{"name":"tid","type":"uint64","value":2},)"
      R"et({"name":"fw_tid","type":"uint64","value":1},{"name":"op_schema","type":"string","value":"lib::conv(Tensor a) -> ()"},)et"
      R"({"name":"kernel_backend","type":"string","value":"triton"},{"name":"collective_name","type":"string","value":"allreduce"},)"
      R"({"name":"pg_size","type":"uint64","value":8},{"name":"in_split_size","type":"string","value":[3,4]},{"name":"new","value":{}}]})";
  const EtRead read = readExecutionTraceText(document({node, kProcess}));
  REQUIRE_MESSAGE(read.trace, read.reported);
  const ExecutionTrace& t = *read.trace;
  CHECK(t.file == "et.json");
  CHECK(t.process == 7);
  CHECK(t.schema == "1.1.1-chakra.0.0.4");
  CHECK(t.problems.empty());
  REQUIRE(t.size() == 2);
  const NodeId process(0), conv(1);
  CHECK(t.id[conv] == 5);
  CHECK(t.text(t.name[conv]) == "lib::conv \"x\"");
  CHECK(t.parent[conv] == process);
  CHECK(t.parent[process].isNone());
  CHECK(t.recordFunction[conv] == 12);
  CHECK(t.forwardParent[conv] == process);
  CHECK(t.sequenceNumber[conv] == -1);
  CHECK(t.scope[conv] == 0);
  CHECK(t.thread[conv] == 2);
  CHECK(t.forwardThread[conv] == 1);
  CHECK(t.text(t.opSchema[conv]) == "lib::conv(Tensor a) -> ()");
  CHECK(t.text(t.kernelBackend[conv]) == "triton");
  REQUIRE(t.collectives.size() == 1);
  CHECK(t.text(t.collectives.at(conv).operation) == "allreduce");
  CHECK(t.collectives.at(conv).groupSize == 8);
  CHECK(t.text(t.collectives.at(conv).inSplit) == "[3,4]");

  const auto values = t.inputs(conv);
  using enum ValueKind;
  const std::vector<ValueKind> kinds = {Tensor, List, Integer, Integer, Boolean, None,   Real,
                                        Real,   Text, Text,    Other,   List,    Tensor, List};
  REQUIRE(values.size() == kinds.size());
  for (size_t i = 0; i < kinds.size(); ++i) CHECK(values[i].kind == kinds[i]);
  CHECK(values[1].number == 2);
  CHECK(values[3].number == -2);
  CHECK(values[4].number == 1);
  CHECK(t.text(values[6].text) == "0.000010");
  CHECK(t.text(values[7].text) == "inf");
  CHECK(t.text(values[9].text) == "cuda:1");
  CHECK(behind(values, 1) == 4);
  CHECK(behind(values, 11) == values.size());
  const execution_trace::Tensor& first = t.tensors[static_cast<size_t>(values[0].number)];
  CHECK(first.id == 6);
  CHECK(first.storage == 7);
  CHECK(first.elements == 6);
  CHECK(t.text(first.type) == "c10::Half");
  CHECK(t.text(first.device) == "cuda:0");
  CHECK(t.sizes[first.sizes].size() == 2);
  // Elements 2 to 8: a row of three, the next one four behind.
  CHECK(first.beginByte == 8);
  CHECK(first.endByte == 36);
  const execution_trace::Tensor& empty = t.tensors[static_cast<size_t>(values[12].number)];
  CHECK(t.text(empty.type) == "long int");
  CHECK(empty.beginByte == empty.endByte);
}

TEST_CASE("version 1.0 has facts beside the lists of values, and no strides") {
  const std::string node =
      R"({"name":"lib::add","id":4,"rf_id":3,"parent":1,"fw_parent":0,"seq_id":9,"scope":0,"tid":1,"fw_tid":0,"op_schema":"",)"
      R"et("inputs":[[5,6,3,8,4,"cpu"],[7,6,3,1,4,"cpu"],1],"input_shapes":[[2,4],[],[]],"input_types":["Tensor(float)","Tensor(float)","Int"],)et"
      R"et("outputs":[[8,9,0,8,4,"cpu"]],"output_shapes":[[2,4]],"output_types":["Tensor(float)"]})et";
  const EtRead read = readExecutionTraceText(
      "\xEF\xBB\xBF"
      R"({"nodes":[)" +
      node + R"(],"schema":"1.0.1"})");
  REQUIRE_MESSAGE(read.trace, read.reported);
  const ExecutionTrace& t = *read.trace;
  CHECK(problem(t, "unknown-parent") == 1);
  CHECK(t.process == -1);
  REQUIRE(t.tensors.size() == 3);
  CHECK(t.recordFunction[NodeId(0)] == 3);
  CHECK(t.sequenceNumber[NodeId(0)] == 9);
  CHECK(t.tensors[0].beginByte == 0);
  CHECK(t.tensors[0].endByte == kWholeStorage);
  // One element is where its offset is, whatever the strides.
  CHECK(t.tensors[1].beginByte == 12);
  CHECK(t.tensors[1].endByte == 16);
  CHECK(t.outputs(NodeId(0)).size() == 1);
}

TEST_CASE("calls are in the order of their ids, whatever the order of the file") {
  const ExecutionTrace t = traceOf({{9, 4, "b"}, {7, 4, "a"}, {4, 4, "top"}, {11, 9, "c"}});
  REQUIRE(t.size() == 4);
  CHECK(t.id.items() == std::vector<int64_t>{4, 7, 9, 11});
  CHECK(t.parent.items() == std::vector<NodeId>{{}, NodeId(0), NodeId(0), NodeId(2)});
}

TEST_CASE("an asynchronous call is in what was open when it began, not in what began before it ended") {
  const ExecutionTrace t = traceOf({{1, 1, "thread"}, {2, 1, "f"}, {3, 5, "gloo:broadcast"}, {4, 2, "g"}, {5, 4, "h"}});
  CHECK(t.parent.items() == std::vector<NodeId>{{}, NodeId(0), NodeId(1), NodeId(1), NodeId(3)});
  CHECK(problem(t, "unknown-parent") == 0);
  const ExecutionTrace unknown = traceOf({{1, 1, "thread"}, {2, 9, "f"}});
  CHECK(unknown.parent.items() == std::vector<NodeId>{{}, {}});
  CHECK(problem(unknown, "unknown-parent") == 1);
}

TEST_CASE("a million calls inside each other are read") {
  std::vector<std::string> nodes;
  for (int64_t id = 1'000'000; id > 0; --id)
    nodes.push_back(fmt::format(R"({{"id":{},"name":"f","ctrl_deps":{}}})", id, std::max<int64_t>(id - 1, 1)));
  const EtRead read = readExecutionTraceText(document(nodes));
  REQUIRE(read.trace);
  CHECK(read.trace->size() == 1'000'000);
}

TEST_CASE("an execution trace cut off at any byte is an error with a place, plain and gzipped") {
  const std::string good = document({EtCall{3, 1, "lib::f", {tensor(4, 5, {2, 2})}, {tensor(6, 7, {4})}}});
  REQUIRE(readExecutionTraceText(good).trace);
  CHECK(readExecutionTraceText(gzipped(good)).trace);
  for (size_t length = 0; length < good.size(); ++length) {
    const std::string error = errorOf(good.substr(0, length));
    CAPTURE(length);
    CHECK(has(error, "trace-syntax"));
    CHECK(has(error, fmt::format("folder/et.json: byte {}", length)));
  }
  const std::string packed = gzipped(good);
  for (size_t length = 3; length < packed.size(); ++length)
    CHECK(has(errorOf(packed.substr(0, length)), "compressed-damaged"));
}

TEST_CASE("any changed byte gives an execution trace or an error with a place") {
  const std::string good = document({EtCall{3, 1, "lib::f", {listOf({tensor(4, 5, {2, 2})})}, {tensor(6, 7, {4})}}});
  for (size_t at = 0; at < good.size(); ++at)
    for (const char byte : {'"', '{', ']', ',', '\\', '\0', '9', '\xFF', '-'}) {
      std::string text = good;
      text[at] = byte;
      const EtRead read = readExecutionTraceText(text);
      if (!read.trace) CHECK(has(read.reported, "byte "));
    }
}

TEST_CASE("damage is reported at its byte") {
  const std::string good = document({EtCall{3, 1, "lib::f"}});
  for (const auto& [found, put] : {std::pair("lib::f", "l\xFF"), std::pair("lib::f", "l\n")}) {
    std::string text = good;
    const size_t at = text.find(found);
    text.replace(at, 2, put);
    CHECK(has(errorOf(text), fmt::format("byte {}", at + 1)));
  }
  CHECK(has(errorOf(good + "{}"), "text follows the end of the document"));
}

TEST_CASE("what is no execution trace is refused where it is not one") {
  const auto nodes = [](const std::string& node) { return document(std::vector{kProcess, node}); };
  const auto placed = [&](const std::string& node, std::string_view what) {
    const std::string text = nodes(node), error = errorOf(text);
    CAPTURE(error);
    CHECK(has(error, "trace-invalid"));
    CHECK(has(error, what));
    CHECK(has(error, fmt::format("byte {}", text.find(node))));
  };
  placed(R"({"name":"f","ctrl_deps":1})", "a node has no `id`");
  placed(R"({"id":3,"ctrl_deps":1})", "node 3 has no `name`");
  placed(R"({"id":1,"name":"again"})", "two nodes have the id 1");
  placed(R"({"id":3,"name":"f","ctrl_deps":4},{"id":4,"name":"g","ctrl_deps":3})",
         "node 3 is inside node 4, which is inside of it");
  placed(R"("f")", "an entry of `nodes` is not an object");
  CHECK(has(errorOf(nodes(R"({"id":"3","name":"f"})")), "`id` of a node is not an integer"));
  CHECK(has(errorOf(nodes(R"({"id":3,"name":7})")), "`name` of a node is not a string"));
  CHECK(has(errorOf(nodes(R"({"id":3,"name":"f","ctrl_deps":[1]})")), "`ctrl_deps` of a node is not an integer"));
  CHECK(has(errorOf(nodes(R"({"id":3,"name":"f","inputs":{"values":7}})")), "something else than a list"));
  CHECK(has(errorOf(nodes(R"({"id":3,"name":"f","attrs":[{"name":"rf_id","value":1.5}]})")), "`rf_id` of a node"));
  CHECK(has(errorOf(R"({"schema":"2.0","nodes":[]})"), "`2.0` of the execution trace is not known; known are 1.0.1,"));
  CHECK(has(errorOf(R"({"schema":"1.0.1"})"), "the document has no `nodes`"));
  CHECK(has(errorOf(R"({"nodes":[]})"), "the document has no `schema`"));
  CHECK(has(errorOf(R"({"schema":"1.0.1","nodes":{}})"), "`nodes` is not a list"));
}

TEST_CASE("what is odd is counted") {
  const auto count = [](const std::string& inputs, std::string_view name) {
    const EtRead read =
        readExecutionTraceText(document(std::vector{R"({"id":1,"name":"f","ctrl_deps":1,"inputs":)" + inputs + "}"}));
    REQUIRE_MESSAGE(read.trace, read.reported);
    CHECK(read.trace->problems.size() == 1);
    return problem(*read.trace, name);
  };
  CHECK(count(R"({"values":[1,2],"types":["Int"]})", "untyped-value") == 1);
  CHECK(count(R"et({"values":[[1,2,3,4,5]],"types":["Tensor(float)"]})et", "invalid-tensor") == 1);
  CHECK(count(R"et({"values":[[1,2,-3,4,5,"cpu"]],"types":["Tensor(float)"]})et", "invalid-tensor") == 1);
  CHECK(count(R"et({"values":[[1,2,0,4,4,"cpu"]],"types":["Tensor(float)"],"shapes":[["a"]],"strides":[[1]]})et",
              "unknown-sizes") == 1);
  CHECK(count(R"et({"values":[[1,2,0,4,4,"cpu"]],"types":["Tensor(float)"],"shapes":[[5]],"strides":[[1]]})et",
              "sizes-disagree") == 1);
  CHECK(
      count(
          R"et({"values":[[1,2,9223372036854775807,4,4,"cpu"]],"types":["Tensor(float)"],"shapes":[[4]],"strides":[[9223372036854775807]]})et",
          "sizes-disagree") == 1);
  std::string many = "0";
  for (int i = 0; i < 4096; ++i) many += ",0";
  CHECK(count(R"({"values":[[)" + many + R"(]],"types":["GenericList[]"]})", "cut-list") == 1);
  CHECK(count(R"({"values":[)" + std::string(40, '[') + std::string(40, ']') + R"(],"types":["GenericList[]"]})",
              "nested-list") == 1);
}

TEST_CASE("execution traces are recognised by what they begin with") {
  CHECK(looksLikeExecutionTrace(R"({"schema":"1.0.1","pid":1,"nodes":[{"na)"));
  CHECK(looksLikeExecutionTrace(R"({"nodes":[{"id":1,"attrs":[{"name":"rf_id")"));
  CHECK_FALSE(looksLikeExecutionTrace(R"({"nodes":[{"id":1}]})"));
  CHECK_FALSE(looksLikeExecutionTrace(R"({"schema":"1","traceEvents":[{"nodes":1}]})"));
  CHECK_FALSE(looksLikeExecutionTrace(R"([{"schema":1,"nodes":[]}])"));
  CHECK_FALSE(looksLikeExecutionTrace("ir_version: 9"));
}

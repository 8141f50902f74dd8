#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "replay/runtimes/runtime.h"

using namespace amdahlc;

namespace {

using Names = std::vector<std::string>;

const RuntimeAdapter& tensorRt() { return runtimeAdapter("tensorrt"); }

Names namesIn(std::string_view layer) {
  Names names;
  for (const std::string_view name : tensorRt().namedNodes(layer)) names.emplace_back(name);
  return names;
}

}  // namespace

TEST_CASE("a runtime without an adapter names one node per event, by the name of the event") {
  CHECK(runtimeAdapter("other").namedNodes("a + b") == std::vector<std::string_view>{"a + b"});
  CHECK(!runtimeAdapter("other").isLayoutConversion("", "Reformatting CopyNode for Input Tensor 0 to a"));
}

TEST_CASE("a fused layer of TensorRT names its nodes") {
  CHECK(namesIn("MaxPool_2") == Names{"MaxPool_2"});
  CHECK(namesIn("Conv_5 + Add_6 + Relu_7") == Names{"Conv_5", "Add_6", "Relu_7"});
  CHECK(namesIn("PWN(PWN(Sigmoid_3), Mul_4)") == Names{"Sigmoid_3", "Mul_4"});
  CHECK(namesIn("w + Conv_12 + PWN(Clip_16)") == Names{"w", "Conv_12", "Clip_16"});
  CHECK(namesIn("PWN(PWN(a, b), PWN(c, PWN(d + e)))") == Names{"a", "b", "c", "d", "e"});
  CHECK(namesIn("(Unnamed Layer* 8) [Shuffle] + Gemm_1") == Names{"(Unnamed Layer* 8) [Shuffle]", "Gemm_1"});
}

TEST_CASE("names that are not balanced are not taken apart") {
  CHECK(namesIn("a( + b") == Names{"a( + b"});
  CHECK(namesIn("a) + b") == Names{"a) + b"});
  CHECK(namesIn("PWN(a, b") == Names{"PWN(a, b"});
  CHECK(namesIn("").empty());
  CHECK(namesIn("PWN()").empty());
  std::string nested;
  for (int i = 0; i < 20000; ++i) nested += "PWN(";
  CHECK(namesIn(nested + "a" + std::string(20000, ')')) == Names{"a"});
}

TEST_CASE("a foreign node names the first and the last node of a range") {
  CHECK(namesIn("{ForeignNode[/a/Split_16.../a/Add]}") == Names{"/a/Split_16", "/a/Add"});
  CHECK(tensorRt().namesRange("{ForeignNode[/a/Split_16.../a/Add]}"));
  CHECK(tensorRt().namesRange("Conv_0 + {ForeignNode[a...b]}"));
  CHECK(namesIn("{ForeignNode[(Unnamed Layer* 0) [ElementWise]]}") == Names{"(Unnamed Layer* 0) [ElementWise]"});
  CHECK(!tensorRt().namesRange("{ForeignNode[a]}"));
  CHECK(!tensorRt().namesRange("a...b"));
  CHECK(!tensorRt().namesRange("Reformatting CopyNode for Input Tensor 0 to {ForeignNode[a...b]}"));
}

TEST_CASE("a layer that TensorRT inserted names no node") {
  CHECK(namesIn("Reformatting CopyNode for Input Tensor 0 to Conv_0 + Relu_1").empty());
  CHECK(tensorRt().isLayoutConversion("", "Reformatting CopyNode for Output Tensor 0 to MaxPool_2"));
  CHECK(tensorRt().isLayoutConversion("", "reshape_after_Gemm_48"));
  CHECK(!tensorRt().isLayoutConversion("", "Gemm_48"));
  // A node may have such a name, so it counts as one until no node has it.
  CHECK(namesIn("reshape_after_Gemm_48") == Names{"reshape_after_Gemm_48"});
}

TEST_CASE("the suffix of a further optimization profile is no part of a name") {
  CHECK(namesIn("Conv_0 + Relu_1 [profile 2]") == Names{"Conv_0", "Relu_1"});
  CHECK(namesIn("a [profile x]") == Names{"a [profile x]"});
}

TEST_CASE("metadata names nodes with any separator, and with brackets") {
  CHECK(namesIn("[ONNX Layer: /a/Conv]\x1F[ONNX Layer: /a/Relu]") == Names{"/a/Conv", "/a/Relu"});
  CHECK(namesIn("[ONNX Layer: a]\x1E[ONNX Layer: b]\x1E[ONNX Layer: a]") == Names{"a", "b"});
  CHECK(namesIn("[ONNX Layer: a][ONNX Layer: b + c[0]]") == Names{"a", "b + c[0]"});
  CHECK(namesIn("[ONNX Layer: ") == Names{});
}

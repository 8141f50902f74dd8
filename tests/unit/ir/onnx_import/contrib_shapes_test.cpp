#include <doctest/doctest.h>

#include "text_model.h"

using amdahlc::ir::test::importGraph;

namespace {

/// Type of `y`, the result of the given node over float32 inputs a..d.
std::string resultOf(const std::string& inputs, const std::string& node) {
  const auto imported = importGraph("g (" + inputs + ") => (y) { " + node + " }");
  REQUIRE(imported.module);
  return imported.type("y");
}

}  // namespace

TEST_CASE("element-wise operators keep their first operand's shape") {
  for (const char* type : {"BiasGelu", "FastGelu", "Gelu", "QuickGelu"})
    CHECK(resultOf("float[2,3,8] a, float[8] b", std::string("y = com.microsoft.") + type + " (a, b)") ==
          "float32[2,3,8]");
}

TEST_CASE("FusedMatMul") {
  CHECK(resultOf("float[2,3,8] a, float[8,5] b", "y = com.microsoft.FusedMatMul (a, b)") == "float32[2,3,5]");
  CHECK(resultOf("float[2,8,3] a, float[2,5,8] b", "y = com.microsoft.FusedMatMul <transA=1, transB=1> (a, b)") ==
        "float32[2,3,5]");
  CHECK(resultOf("float[8] a, float[8,5] b", "y = com.microsoft.FusedMatMul (a, b)") == "float32[5]");
  // No shape rather than a wrong one.
  CHECK(resultOf("float[2,8,3] a, float[2,8,5] b", "y = com.microsoft.FusedMatMul <transBatchA=1> (a, b)") ==
        "float32[*]");
}

TEST_CASE("normalisation and attention") {
  CHECK(resultOf("float[2,3,8] a, float[2,3,8] b, float[8] c",
                 "y, , , sum = com.microsoft.SkipLayerNormalization (a, b, c)") == "float32[2,3,8]");
  CHECK(resultOf("float[2,3,8] a, float[8,24] b, float[24] c", "y = com.microsoft.Attention <num_heads=2> (a, b, c)") ==
        "float32[2,3,8]");
  CHECK(resultOf("float[2,3,8] a, float[2,5,8] b, float[2,5,16] c",
                 "y = com.microsoft.MultiHeadAttention <num_heads=2> (a, b, c)") == "float32[2,3,16]");
  CHECK(resultOf("float[2,3,32] a", "y = com.microsoft.GroupQueryAttention <num_heads=4, kv_num_heads=2> (a, , )") ==
        "float32[2,3,16]");
}

TEST_CASE("convolution in the blocked layout, and back") {
  CHECK(resultOf("float[1,3,8,8] a, float[16,3,3,3] b",
                 "t = com.microsoft.nchwc.Conv <kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]> (a, b)\n"
                 "y = com.microsoft.nchwc.ReorderOutput <channels=12, channels_last=1> (t)") == "float32[1,4,4,12]");
}

TEST_CASE("a standard operator after an operator of ONNX Runtime gets its shape") {
  CHECK(resultOf("float[2,8] a, float[8,4] b",
                 "t = com.microsoft.FusedMatMul (a, b)\n y = Transpose <perm=[1,0]> (t)") == "float32[4,2]");
}

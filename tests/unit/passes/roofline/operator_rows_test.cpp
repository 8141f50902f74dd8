// Each row against numbers worked out by hand. long because there is a case for each row.
#include "passes/roofline/operator_rows.h"

#include <doctest/doctest.h>

#include <set>

#include "operator_cases.h"

namespace amdahlc {
namespace {

using testing::findingsOf;
using testing::OperatorCase;
using testing::OperatorFindings;

using Sizes = std::vector<int64_t>;

constexpr auto kMs = "com.microsoft";
constexpr auto kNchwc = "com.microsoft.nchwc";

/// A case with what is expected of it: operations on matrices and others, all in one type each, and bytes.
struct ExpectedWork {
  OperatorCase of;
  int64_t matrix = 0, vector = 0;
  Sizes read, written;
};

int64_t sum(const FlopsByType& flops) {
  int64_t total = 0;
  for (const auto& [type, count] : flops) total += count;
  return total;
}

ir::Attribute attr(std::string name, ir::AttributeValue value) { return {std::move(name), std::move(value)}; }
ir::Attribute ints(std::string name, std::vector<int64_t> value) { return {std::move(name), std::move(value)}; }
ir::Attribute num(std::string name, int64_t value) { return {std::move(name), value}; }
ir::Attribute str(std::string name, std::string value) { return {std::move(name), std::move(value)}; }

const std::vector<ExpectedWork>& cases() {
  // Sizes are bytes: f32 4, f16 2, i64 8, i8 and bool 1.
  static const std::vector<ExpectedWork> all = {
      // Elementwise: x[2,3] of 24 bytes; an operand of [3] has 12.
      {{"", "Add", {"f32[2,3]", "f32[3]"}, {"f32[2,3]"}}, 0, 6, {24, 12}, {24}},
      {{"", "Greater", {"f32[2,3]", "f32[]"}, {"bool[2,3]"}}, 0, 6, {24, 4}, {6}},
      {{"", "Where", {"bool[2,3]", "f32[2,3]", "f32[]"}, {"f32[2,3]"}}, 0, 6, {6, 24, 4}, {24}},
      {{"", "Sum", {"f32[4]", "f32[4]", "f32[4]"}, {"f32[4]"}}, 0, 8, {16, 16, 16}, {16}},
      {{"", "Max", {"f32[4]", "f32[4]"}, {"f32[4]"}}, 0, 4, {16, 16}, {16}},
      {{"", "Min", {"f32[4]"}, {"f32[4]"}}, 0, 0, {16}, {16}},
      {{"", "Mean", {"f32[4]", "f32[4]", "f32[4]"}, {"f32[4]"}}, 0, 12, {16, 16, 16}, {16}},
      {{"", "Clip", {"f32[4]", "f32[]", "f32[]"}, {"f32[4]"}}, 0, 8, {16, 4, 4}, {16}},
      {{"", "Clip", {"f32[4]", "", "f32[]"}, {"f32[4]"}}, 0, 4, {16, 4}, {16}},
      {{"", "Cast", {"f32[4]"}, {"f16[4]"}}, 0, 0, {16}, {8}},
      {{"", "CastLike", {"f32[4]", "f16[100]"}, {"f16[4]"}}, 0, 0, {16, 0}, {8}},
      // Activations on 4 elements.
      {{"", "Celu", {"f32[4]"}, {"f32[4]"}}, 0, 28, {16}, {16}},
      {{"", "Elu", {"f32[4]"}, {"f32[4]"}}, 0, 16, {16}, {16}},
      {{"", "Gelu", {"f16[4]"}, {"f16[4]"}}, 0, 20, {8}, {8}},
      {{"", "Gelu", {"f16[4]"}, {"f16[4]"}, {str("approximate", "tanh")}}, 0, 36, {8}, {8}},
      {{"", "HardSigmoid", {"f32[4]"}, {"f32[4]"}}, 0, 16, {16}, {16}},
      {{"", "HardSwish", {"f32[4]"}, {"f32[4]"}}, 0, 20, {16}, {16}},
      {{"", "LeakyRelu", {"f32[4]"}, {"f32[4]"}}, 0, 8, {16}, {16}},
      {{"", "Mish", {"f32[4]"}, {"f32[4]"}}, 0, 20, {16}, {16}},
      {{"", "PRelu", {"f32[4]", "f32[1]"}, {"f32[4]"}}, 0, 8, {16, 4}, {16}},
      {{"", "Relu", {"f32[4]"}, {"f32[4]"}}, 0, 4, {16}, {16}},
      {{"", "Selu", {"f32[4]"}, {"f32[4]"}}, 0, 20, {16}, {16}},
      {{"", "Sigmoid", {"f32[4]"}, {"f32[4]"}}, 0, 16, {16}, {16}},
      {{"", "Softplus", {"f32[4]"}, {"f32[4]"}}, 0, 12, {16}, {16}},
      {{"", "Softsign", {"f32[4]"}, {"f32[4]"}}, 0, 12, {16}, {16}},
      {{"", "Swish", {"f32[4]"}, {"f32[4]"}}, 0, 20, {16}, {16}},
      {{"", "Tanh", {"f32[4]"}, {"f32[4]"}}, 0, 4, {16}, {16}},
      {{"", "ThresholdedRelu", {"f32[4]"}, {"f32[4]"}}, 0, 4, {16}, {16}},
      {{kMs, "BiasGelu", {"f16[2,4]", "f16[4]"}, {"f16[2,4]"}}, 0, 48, {16, 8}, {16}},
      {{kMs, "FastGelu", {"f16[2,4]", "f16[4]"}, {"f16[2,4]"}}, 0, 80, {16, 8}, {16}},
      {{kMs, "FastGelu", {"f16[2,4]"}, {"f16[2,4]"}}, 0, 72, {16}, {16}},
      {{kMs, "Gelu", {"f32[4]"}, {"f32[4]"}}, 0, 20, {16}, {16}},
      {{kMs, "QuickGelu", {"f32[4]"}, {"f32[4]"}}, 0, 24, {16}, {16}},
      // Moving data. Shapes, axes and sizes are read by the host.
      {{"", "Concat", {"f32[2]", "f32[3]"}, {"f32[5]"}}, 0, 0, {8, 12}, {20}},
      {{"", "Constant", {}, {"f32[5]"}}, 0, 0, {}, {0}},
      {{"", "ConstantOfShape", {"i64[2]"}, {"f32[2,5]"}}, 0, 0, {0}, {40}},
      {{"", "DepthToSpace", {"f32[1,4,2,2]"}, {"f32[1,1,4,4]"}}, 0, 0, {64}, {64}},
      {{"", "SpaceToDepth", {"f32[1,1,4,4]"}, {"f32[1,4,2,2]"}}, 0, 0, {64}, {64}},
      {{"", "Dropout", {"f32[8]"}, {"f32[8]"}}, 0, 0, {0}, {0}},
      {{"", "Dropout", {"f32[8]", "f32[]", "bool[]=1"}, {"f32[8]", "bool[8]"}}, 0, 16, {32, 4, 1}, {32, 8}},
      {{"", "Expand", {"f32[1,3]", "i64[2]"}, {"f32[5,3]"}}, 0, 0, {12, 0}, {60}},
      {{"", "EyeLike", {"f32[3,3]"}, {"f32[3,3]"}}, 0, 0, {0}, {36}},
      {{"", "Flatten", {"f32[2,3]"}, {"f32[2,3]"}}, 0, 0, {0}, {0}},
      {{"", "Gather", {"f32[100,4]", "i64[3]"}, {"f32[3,4]"}}, 0, 0, {48, 24}, {48}},
      // More rows than the table has: all of it.
      {{"", "Gather", {"f32[2,4]", "i64[3]"}, {"f32[3,4]"}}, 0, 0, {32, 24}, {48}},
      {{"", "GatherElements", {"f32[100,4]", "i64[3,4]"}, {"f32[3,4]"}}, 0, 0, {48, 96}, {48}},
      {{"", "GatherND", {"f32[100,4]", "i64[3,1]"}, {"f32[3,4]"}}, 0, 0, {48, 24}, {48}},
      {{"", "Identity", {"f32[4]"}, {"f32[4]"}}, 0, 0, {0}, {0}},
      {{"", "If", {"bool[]"}, {"f32[4]"}}, 0, 0, {0}, {0}},
      {{"", "Loop", {"i64[]", "bool[]", "f32[4]"}, {"f32[4]"}}, 0, 0, {0, 0, 0}, {0}},
      {{"", "Scan", {"f32[4]"}, {"f32[4]"}}, 0, 0, {0}, {0}},
      {{"", "Pad", {"f32[2,3]", "i64[4]"}, {"f32[4,5]"}}, 0, 0, {24, 0}, {80}},
      {{"", "Range", {"i64[]", "i64[]", "i64[]"}, {"i64[10]"}}, 0, 20, {0, 0, 0}, {80}},
      {{"", "Reshape", {"f32[2,3]", "i64[1]"}, {"f32[6]"}}, 0, 0, {0, 0}, {0}},
      {{"", "ReverseSequence", {"f32[4,2]", "i64[2]"}, {"f32[4,2]"}}, 0, 0, {32, 16}, {32}},
      {{"", "ScatterElements", {"f32[100]", "i64[3]", "f32[3]"}, {"f32[100]"}}, 0, 0, {0, 24, 12}, {12}},
      {{"", "ScatterND", {"f32[100,4]", "i64[3,1]", "f32[3,4]"}, {"f32[100,4]"}}, 0, 0, {0, 24, 48}, {48}},
      {{"", "ScatterND", {"f32[100,4]", "i64[3,1]", "f32[3,4]"}, {"f32[100,4]"}, {str("reduction", "add")}},
       0,
       12,
       {48, 24, 48},
       {48}},
      {{"", "Shape", {"f32[2,3]"}, {"i64[2]"}}, 0, 0, {0}, {0}},
      {{"", "Size", {"f32[2,3]"}, {"i64[]"}}, 0, 0, {0}, {0}},
      {{"", "Slice", {"f32[100,4]", "i64[1]", "i64[1]"}, {"f32[10,4]"}}, 0, 0, {160, 0, 0}, {160}},
      {{"", "Split", {"f32[6,4]", "i64[2]"}, {"f32[2,4]", "f32[4,4]"}}, 0, 0, {96, 0}, {32, 64}},
      // One of two results is left out.
      {{"", "Split", {"f32[6,4]", "i64[2]"}, {"f32[2,4]", ""}}, 0, 0, {32, 0}, {32}},
      {{"", "Squeeze", {"f32[1,4]"}, {"f32[4]"}}, 0, 0, {0}, {0}},
      {{"", "Tile", {"f32[2]", "i64[1]"}, {"f32[6]"}}, 0, 0, {8, 0}, {24}},
      {{"", "Transpose", {"f32[2,3]"}, {"f32[3,2]"}}, 0, 0, {24}, {24}},
      // Upper triangle of 3 by 4: 4 + 3 + 2 elements. Lower one: 1 + 2 + 3. Two matrices.
      {{"", "Trilu", {"f32[2,3,4]"}, {"f32[2,3,4]"}}, 0, 0, {72}, {96}},
      {{"", "Trilu", {"f32[2,3,4]"}, {"f32[2,3,4]"}, {num("upper", 0)}}, 0, 0, {48}, {96}},
      // Above the main diagonal: 3 + 2 + 1.
      {{"", "Trilu", {"f32[3,4]", "i64[]=1"}, {"f32[3,4]"}}, 0, 0, {24, 0}, {48}},
      {{"", "Unsqueeze", {"f32[4]", "i64[1]"}, {"f32[1,4]"}}, 0, 0, {0, 0}, {0}},
      {{kNchwc, "ReorderInput", {"f32[1,8,2,2]"}, {"f32[1,8,2,2]"}}, 0, 0, {128}, {128}},
      {{kNchwc, "ReorderOutput", {"f32[1,8,2,2]"}, {"f32[1,8,2,2]"}}, 0, 0, {128}, {128}},
      // Normalisations of 2 rows of 4: 8 elements.
      {{"", "BatchNormalization", {"f32[2,4]", "f32[4]", "f32[4]", "f32[4]", "f32[4]"}, {"f32[2,4]"}},
       0,
       16,
       {32, 16, 16, 16, 16},
       {32}},
      {{"", "GroupNormalization", {"f32[2,4]", "f32[4]", "f32[4]"}, {"f32[2,4]"}}, 0, 56, {32, 16, 16}, {32}},
      {{"", "InstanceNormalization", {"f32[2,4]", "f32[4]", "f32[4]"}, {"f32[2,4]"}}, 0, 56, {32, 16, 16}, {32}},
      {{"", "LayerNormalization", {"f16[2,4]", "f16[4]", "f16[4]"}, {"f16[2,4]"}}, 0, 56, {16, 8, 8}, {16}},
      {{"", "LayerNormalization", {"f16[2,4]", "f16[4]"}, {"f16[2,4]"}}, 0, 48, {16, 8}, {16}},
      {{"", "Softmax", {"f32[2,4]"}, {"f32[2,4]"}}, 0, 40, {32}, {32}},
      {{"", "LogSoftmax", {"f32[2,4]"}, {"f32[2,4]"}}, 0, 40, {32}, {32}},
      {{"", "MeanVarianceNormalization", {"f32[2,4]"}, {"f32[2,4]"}}, 0, 40, {32}, {32}},
      {{"", "RMSNormalization", {"f32[2,4]", "f32[4]"}, {"f32[2,4]"}}, 0, 32, {32, 16}, {32}},
      {{"", "SimplifiedLayerNormalization", {"f32[2,4]", "f32[4]"}, {"f32[2,4]"}}, 0, 32, {32, 16}, {32}},
      // Ids [2,3], hidden 4: 6 rows of 16 bytes; positions are those of one sequence: 3 rows.
      {{kMs,
        "EmbedLayerNormalization",
        {"i32[2,3]", "i32[2,3]", "f32[100,4]", "f32[50,4]", "f32[2,4]", "f32[4]", "f32[4]"},
        {"f32[2,3,4]"}},
       0,
       24 * 9,
       {24, 24, 96, 48, 32, 16, 16},
       {96}},
      {{kMs, "GroupNorm", {"f32[2,4]", "f32[4]", "f32[4]"}, {"f32[2,4]"}, {num("activation", 1)}},
       0,
       8 * 12,
       {32, 16, 16},
       {32}},
      {{kMs, "SkipLayerNormalization", {"f32[2,4]", "f32[2,4]", "f32[4]", "f32[4]", "f32[4]"}, {"f32[2,4]"}},
       0,
       8 * 9,
       {32, 32, 16, 16, 16},
       {32}},
      {{kMs, "SkipSimplifiedLayerNormalization", {"f32[2,4]", "f32[2,4]", "f32[4]"}, {"f32[2,4]", "", "", "f32[2,4]"}},
       0,
       8 * 5,
       {32, 32, 16},
       {32, 32}},
      // Reductions of 8 elements.
      {{"", "ReduceSum", {"f32[2,4]", "i64[1]"}, {"f32[2]"}}, 0, 8, {32, 0}, {8}},
      {{"", "ReduceMean", {"f32[2,4]"}, {"f32[2]"}}, 0, 8, {32}, {8}},
      {{"", "ReduceMax", {"f32[2,4]"}, {"f32[2]"}}, 0, 8, {32}, {8}},
      {{"", "ReduceMin", {"f32[2,4]"}, {"f32[2]"}}, 0, 8, {32}, {8}},
      {{"", "ReduceProd", {"f32[2,4]"}, {"f32[2]"}}, 0, 8, {32}, {8}},
      {{"", "ReduceL1", {"f32[2,4]"}, {"f32[2]"}}, 0, 16, {32}, {8}},
      {{"", "ReduceL2", {"f32[2,4]"}, {"f32[2]"}}, 0, 16, {32}, {8}},
      {{"", "ReduceLogSum", {"f32[2,4]"}, {"f32[2]"}}, 0, 8, {32}, {8}},
      {{"", "ReduceLogSumExp", {"f32[2,4]"}, {"f32[2]"}}, 0, 32, {32}, {8}},
      {{"", "ReduceSumSquare", {"f32[2,4]"}, {"f32[2]"}}, 0, 16, {32}, {8}},
      {{"", "ArgMax", {"f32[2,4]"}, {"i64[2]"}}, 0, 8, {32}, {16}},
      {{"", "ArgMin", {"f32[2,4]"}, {"i64[2]"}}, 0, 8, {32}, {16}},
      {{"", "CumSum", {"f32[2,4]", "i64[]"}, {"f32[2,4]"}}, 0, 8, {32, 0}, {32}},
      {{"", "Hardmax", {"f32[2,4]"}, {"f32[2,4]"}}, 0, 8, {32}, {32}},
      {{"", "LRN", {"f32[1,8]"}, {"f32[1,8]"}, {num("size", 3)}}, 0, 80, {32}, {32}},
      {{"", "LpNormalization", {"f32[2,4]"}, {"f32[2,4]"}}, 0, 24, {32}, {32}},
      {{"", "NonZero", {"f32[2,4]"}, {"i64[2,5]"}}, 0, 8, {32}, {80}},
      {{"", "OneHot", {"i64[3]", "i64[]", "f32[2]"}, {"f32[3,10]"}}, 0, 30, {24, 0, 8}, {120}},
      {{"", "TopK", {"f32[2,4]", "i64[1]"}, {"f32[2,1]", "i64[2,1]"}}, 0, 8, {32, 0}, {8, 16}},
      // 1 channel, 4 by 4, a window of 2 by 2 for each of 4 results.
      {{"", "AveragePool", {"f32[1,1,4,4]"}, {"f32[1,1,2,2]"}, {ints("kernel_shape", {2, 2})}}, 0, 16, {64}, {16}},
      {{"", "MaxPool", {"f32[1,1,4,4]"}, {"f32[1,1,2,2]"}, {ints("kernel_shape", {2, 2})}}, 0, 16, {64}, {16}},
      {{"", "LpPool", {"f32[1,1,4,4]"}, {"f32[1,1,2,2]"}, {ints("kernel_shape", {2, 2})}}, 0, 32, {64}, {16}},
      {{"", "GlobalAveragePool", {"f32[1,1,4,4]"}, {"f32[1,1,1,1]"}}, 0, 16, {64}, {4}},
      {{"", "GlobalMaxPool", {"f32[1,1,4,4]"}, {"f32[1,1,1,1]"}}, 0, 16, {64}, {4}},
      {{"", "GlobalLpPool", {"f32[1,1,4,4]"}, {"f32[1,1,1,1]"}}, 0, 32, {64}, {4}},
      {{kNchwc, "AveragePool", {"f32[1,8,4,4]"}, {"f32[1,8,2,2]"}, {ints("kernel_shape", {2, 2})}},
       0,
       128,
       {512},
       {128}},
      {{kNchwc, "MaxPool", {"f32[1,8,4,4]"}, {"f32[1,8,2,2]"}, {ints("kernel_shape", {2, 2})}}, 0, 128, {512}, {128}},
      {{kNchwc, "GlobalAveragePool", {"f32[1,8,4,4]"}, {"f32[1,8,1,1]"}}, 0, 128, {512}, {32}},
      // Products: M 2, N 5, K 3, and 7 matrices: 2 * 2 * 5 * 3 = 60 each.
      {{"", "MatMul", {"f16[7,2,3]", "f16[3,5]"}, {"f16[7,2,5]"}}, 420, 0, {84, 30}, {140}},
      {{"", "MatMul", {"f16[3]", "f16[3]"}, {"f16[]"}}, 6, 0, {6, 6}, {2}},
      {{"", "Gemm", {"f32[2,3]", "f32[3,5]", "f32[5]"}, {"f32[2,5]"}}, 60, 10, {24, 60, 20}, {40}},
      {{"",
        "Gemm",
        {"f32[3,2]", "f32[5,3]", "f32[5]"},
        {"f32[2,5]"},
        {num("transA", 1), num("transB", 1), attr("alpha", 0.5), attr("beta", 2.0)}},
       60,
       30,
       {24, 60, 20},
       {40}},
      {{"", "Gemm", {"f32[2,3]", "f32[3,5]", "f32[5]"}, {"f32[2,5]"}, {attr("beta", 0.0)}}, 60, 0, {24, 60, 0}, {40}},
      {{"", "Einsum", {"f32[7,2,3]", "f32[7,3,5]"}, {"f32[7,2,5]"}, {str("equation", "bij,bjk->bik")}},
       420,
       0,
       {168, 420},
       {280}},
      {{"", "Einsum", {"f32[2,3]", "f32[3,5]"}, {"f32[2,5]"}, {str("equation", "ij, jk")}}, 60, 0, {24, 60}, {40}},
      {{"", "Einsum", {"f32[2]", "f32[5]"}, {"f32[2,5]"}, {str("equation", "i,j->ij")}}, 0, 10, {8, 20}, {40}},
      {{"", "Einsum", {"f32[2,5]"}, {"f32[2]"}, {str("equation", "ij->i")}}, 0, 10, {40}, {8}},
      {{"", "Einsum", {"f32[2,5]"}, {"f32[5,2]"}, {str("equation", "ij->ji")}}, 0, 0, {40}, {40}},
      {{kMs, "FusedGemm", {"f32[2,3]", "f32[3,5]", "f32[5]"}, {"f32[2,5]"}, {str("activation", "Relu")}},
       60,
       20,
       {24, 60, 20},
       {40}},
      {{kMs, "FusedMatMul", {"f32[3,2]", "f32[3,5]"}, {"f32[2,5]"}, {num("transA", 1), attr("alpha", 0.125)}},
       60,
       10,
       {24, 60},
       {40}},
      {{kMs, "TransposeMatMul", {"f32[2,3]", "f32[3,5]"}, {"f32[2,5]"}}, 60, 0, {24, 60}, {40}},
      // 32 by 16 weights of 4 bits in blocks of 32: 16 rows of one block of 16 bytes; a scale each.
      {{kMs, "MatMulNBits", {"f16[2,32]", "u8[16,1,16]", "f16[16]"}, {"f16[2,16]"}, {num("N", 16), num("K", 32)}},
       2 * 2 * 16 * 32,
       2 * 16 * 32,
       {128, 256, 32},
       {64}},
      // Quantised, 8 bits.
      {{"", "MatMulInteger", {"u8[2,3]", "i8[3,5]"}, {"i32[2,5]"}}, 60, 0, {6, 15}, {40}},
      {{"", "QLinearMatMul", {"u8[2,3]", "f32[]", "u8[]", "i8[3,5]", "f32[]", "i8[]", "f32[]", "u8[]"}, {"u8[2,5]"}},
       60,
       30,
       {6, 4, 1, 15, 4, 1, 4, 1},
       {10}},
      {{kMs, "DynamicQuantizeMatMul", {"f32[2,3]", "i8[3,5]", "f32[]", "i8[]", "f32[5]"}, {"f32[2,5]"}},
       60,
       30 + 20,
       {24, 15, 4, 1, 20},
       {40}},
      {{kMs, "MatMulIntegerToFloat", {"u8[2,3]", "i8[3,5]", "f32[]", "f32[]"}, {"f32[2,5]"}},
       60,
       10,
       {6, 15, 4, 4},
       {40}},
      {{kMs, "QGemm", {"u8[2,3]", "f32[]", "u8[]", "i8[3,5]", "f32[]", "i8[]", "i32[5]", "f32[]", "u8[]"}, {"u8[2,5]"}},
       60,
       40,
       {6, 4, 1, 15, 4, 1, 20, 4, 1},
       {10}},
      {{"", "QuantizeLinear", {"f32[8]", "f32[]", "i8[]"}, {"i8[8]"}}, 0, 24, {32, 4, 1}, {8}},
      {{"", "DequantizeLinear", {"i8[8]", "f32[]", "i8[]"}, {"f32[8]"}}, 0, 16, {8, 4, 1}, {32}},
      {{"", "DynamicQuantizeLinear", {"f32[8]"}, {"u8[8]", "f32[]", "u8[]"}}, 0, 40, {32}, {8, 4, 1}},
      {{kMs, "QuantizeLinear", {"f32[8]", "f32[]", "i8[]"}, {"i8[8]"}}, 0, 24, {32, 4, 1}, {8}},
      // Elements of 4 bits are packed: 8 of them are 4 bytes.
      {{kMs, "DequantizeLinear", {"i4[8]", "f32[]"}, {"f32[8]"}}, 0, 16, {4, 4}, {32}},
      {{kMs, "QLinearAdd", {"u8[8]", "f32[]", "u8[]", "u8[8]", "f32[]", "u8[]", "f32[]", "u8[]"}, {"u8[8]"}},
       0,
       64,
       {8, 4, 1, 8, 4, 1, 4, 1},
       {8}},
      {{kMs, "QLinearMul", {"u8[8]", "f32[]", "u8[]", "u8[8]", "f32[]", "u8[]", "f32[]", "u8[]"}, {"u8[8]"}},
       0,
       64,
       {8, 4, 1, 8, 4, 1, 4, 1},
       {8}},
      // Convolutions: 6 channels in 2 groups to 4, 3 by 3 weights of 3 channels each (27), 4 * 5 * 5 = 100 results.
      {{"", "Conv", {"f32[1,6,5,5]", "f32[4,3,3,3]", "f32[4]"}, {"f32[1,4,5,5]"}, {num("group", 2)}},
       5400,
       100,
       {600, 432, 16},
       {400}},
      {{"", "ConvInteger", {"u8[1,6,5,5]", "i8[4,3,3,3]"}, {"i32[1,4,5,5]"}, {num("group", 2)}},
       5400,
       0,
       {150, 108},
       {400}},
      // 6 channels of 5 by 5 (150 elements), 2 channels of 3 by 3 weights for each (18).
      {{"", "ConvTranspose", {"f32[1,6,5,5]", "f32[6,2,3,3]", "f32[2]"}, {"f32[1,2,7,7]"}},
       5400,
       98,
       {600, 432, 8},
       {392}},
      {{"",
        "QLinearConv",
        {"u8[1,6,5,5]", "f32[]", "u8[]", "i8[4,3,3,3]", "f32[]", "i8[]", "f32[]", "u8[]", "i32[4]"},
        {"u8[1,4,5,5]"}},
       5400,
       400,
       {150, 4, 1, 108, 4, 1, 4, 1, 16},
       {100}},
      {{kMs,
        "QLinearConv",
        {"u8[1,6,5,5]", "f32[]", "u8[]", "i8[4,3,3,3]", "f32[]", "i8[]", "f32[]", "u8[]"},
        {"u8[1,4,5,5]"}},
       5400,
       300,
       {150, 4, 1, 108, 4, 1, 4, 1},
       {100}},
      {{kMs,
        "FusedConv",
        {"f32[1,6,5,5]", "f32[4,3,3,3]", "f32[4]", "f32[1,4,5,5]"},
        {"f32[1,4,5,5]"},
        {str("activation", "Relu")}},
       5400,
       300,
       {600, 432, 16, 400},
       {400}},
      {{kMs, "NhwcFusedConv", {"f16[1,5,5,6]", "f16[4,3,3,3]", "f16[4]"}, {"f16[1,5,5,4]"}},
       5400,
       100,
       {300, 216, 8},
       {200}},
      {{kNchwc, "Conv", {"f32[1,8,5,5]", "f32[8,8,1,1]"}, {"f32[1,8,5,5]"}, {str("activation", "Relu")}},
       2 * 200 * 8,
       200,
       {800, 256},
       {800}},
      // Attention: batch 2, 3 heads of 4, 5 queries, 6 keys: 2 * 3 * 5 * 6 = 180 scores of 2 (4 + 4) and 6.
      {{"", "Attention", {"f16[2,3,5,4]", "f16[2,3,6,4]", "f16[2,3,6,4]"}, {"f16[2,3,5,4]"}},
       180 * 16,
       180 * 6,
       {240, 288, 288},
       {240}},
      {{"",
        "Attention",
        {"f16[2,5,12]", "f16[2,6,12]", "f16[2,6,12]", "f16[5,6]"},
        {"f16[2,5,12]"},
        {num("q_num_heads", 3), num("kv_num_heads", 3), attr("softcap", 2.0)}},
       180 * 16,
       180 * 10,
       {240, 288, 288, 60},
       {240}},
      // Causal, 5 queries and 5 keys: 15 of 25.
      {{"", "Attention", {"f16[2,3,5,4]", "f16[2,3,5,4]", "f16[2,3,5,4]"}, {"f16[2,3,5,4]"}, {num("is_causal", 1)}},
       90 * 16,
       90 * 6,
       {240, 240, 240},
       {240}},
      // Input [2,5,12], weights for three times 12: 2 * 10 * 12 * 36 = 8640, bias 360; then 2 * 3 * 25 = 150 scores.
      {{kMs, "Attention", {"f16[2,5,12]", "f16[12,36]", "f16[36]"}, {"f16[2,5,12]"}, {num("num_heads", 3)}},
       8640 + 150 * 16,
       360 + 150 * 6,
       {240, 864, 72},
       {240}},
      // A past of 4: keys are 9.
      {{kMs,
        "Attention",
        {"f16[2,5,12]", "f16[12,36]", "f16[36]", "", "f16[2,2,3,4,4]"},
        {"f16[2,5,12]", "f16[2,2,3,9,4]"},
        {num("num_heads", 3)}},
       8640 + 270 * 16,
       360 + 270 * 6,
       {240, 864, 72, 384},
       {240, 864}},
      // Values of 6 elements for each head: weights for 12 + 12 + 18.
      {{kMs,
        "Attention",
        {"f16[2,5,12]", "f16[12,42]", "f16[42]"},
        {"f16[2,5,18]"},
        {num("num_heads", 3), ints("qkv_hidden_sizes", {12, 12, 18})}},
       2 * 10 * 12 * 42 + 150 * 2 * (4 + 6),
       420 + 150 * 6,
       {240, 1008, 84},
       {360}},
      {{kMs,
        "QAttention",
        {"u8[2,5,12]", "i8[12,36]", "f32[36]", "f32[]", "f32[]"},
        {"f32[2,5,12]"},
        {num("num_heads", 3)}},
       8640 + 150 * 16,
       360 + 150 * 6,
       {120, 432, 144, 4, 4},
       {480}},
      {{kMs,
        "MultiHeadAttention",
        {"f16[2,5,12]", "f16[2,6,12]", "f16[2,6,12]"},
        {"f16[2,5,12]"},
        {num("num_heads", 3)}},
       180 * 16,
       180 * 6,
       {240, 288, 288},
       {240}},
      {{kMs, "MultiHeadAttention", {"f16[2,5,3,3,4]"}, {"f16[2,5,12]"}, {num("num_heads", 3)}},
       150 * 16,
       150 * 6,
       {720},
       {240}},
      // A bias: 120 + 144 + 144 sums; keys and values of four axes.
      {{kMs,
        "MultiHeadAttention",
        {"f16[2,5,12]", "f16[2,3,6,4]", "f16[2,3,6,4]", "f16[36]"},
        {"f16[2,5,12]"},
        {num("num_heads", 3)}},
       180 * 16,
       180 * 6 + 408,
       {240, 288, 288, 72},
       {240}},
      // Causal, 4 heads of 2 on 2 heads of keys, 3 queries: 6 of 9 pairs, batch 2.
      {{kMs,
        "GroupQueryAttention",
        {"f16[2,3,8]", "f16[2,3,4]", "f16[2,3,4]", "", "", "i32[2]", "i32[]=3"},
        {"f16[2,3,8]"},
        {num("num_heads", 4), num("kv_num_heads", 2)}},
       48 * 8,
       48 * 6,
       {96, 48, 48, 8, 4},
       {96}},
      // One query at position 4 of a buffer of 16: 5 keys; rows of 2 heads of 2, 8 bytes, for 2 sequences: 4 and 1.
      {{kMs,
        "GroupQueryAttention",
        {"f16[2,1,8]", "f16[2,1,4]", "f16[2,1,4]", "f16[2,2,16,2]", "f16[2,2,16,2]", "i32[2]", "i32[]=5"},
        {"f16[2,1,8]", "f16[2,2,16,2]", "f16[2,2,16,2]"},
        {num("num_heads", 4), num("kv_num_heads", 2)}},
       40 * 8,
       40 * 6,
       {32, 16, 16, 64, 64, 8, 4},
       {32, 16, 16}},
      // Sequences of 2 and 3 rows: 4 + 9 pairs, 3 heads.
      {{kMs,
        "PackedAttention",
        {"f16[5,12]", "f16[12,36]", "f16[36]", "i32[2,3]", "i32[3]=0,2,5"},
        {"f16[5,12]"},
        {num("num_heads", 3)}},
       2 * 5 * 12 * 36 + 39 * 16,
       180 + 39 * 6,
       {120, 864, 72, 24, 12},
       {120}},
      {{kMs,
        "PackedMultiHeadAttention",
        {"f16[5,12]", "f16[5,12]", "f16[5,12]", "", "i32[2,3]", "i32[3]=0,2,5"},
        {"f16[5,12]"},
        {num("num_heads", 3)}},
       39 * 16,
       39 * 6,
       {120, 120, 120, 24, 12},
       {120}},
      // 4 steps, 2 sequences, 3 inputs, 5 hidden: 40 cells; per gate 2 (3 + 5).
      {{"", "LSTM", {"f32[4,2,3]", "f32[1,20,3]", "f32[1,20,5]", "f32[1,40]"}, {"f32[4,1,2,5]"}},
       40 * 4 * 16,
       40 * 26,
       {96, 240, 400, 160},
       {160}},
      {{"", "GRU", {"f32[4,2,3]", "f32[1,15,3]", "f32[1,15,5]"}, {"f32[4,1,2,5]"}},
       40 * 3 * 16,
       40 * 17,
       {96, 180, 300},
       {160}},
      // Sequences of 4 and 1 steps.
      {{"", "RNN", {"f32[4,2,3]", "f32[1,5,3]", "f32[1,5,5]", "f32[1,10]", "i32[2]=4,1"}, {"f32[4,1,2,5]"}},
       25 * 16,
       25 * 3,
       {96, 60, 100, 40, 8},
       {160}},
      // A transform of 8 complex numbers: 5 * 8 * 3; of real ones half; two of them.
      {{"", "DFT", {"f32[2,8,2]", "", "i64[]=1"}, {"f32[2,8,2]"}}, 0, 240, {128, 8}, {128}},
      {{"", "DFT", {"f32[2,8,1]", "", "i64[]=1"}, {"f32[2,8,2]"}}, 0, 120, {64, 8}, {128}},
      // 3 frames of 4 in 2 signals: 6 transforms of 5 * 4 * 2 / 2; 24 products with the window.
      {{"", "STFT", {"f32[2,8,1]", "i64[]", "f32[4]", "i64[]=4"}, {"f32[2,3,3,2]"}},
       0,
       120 + 24,
       {64, 8, 16, 8},
       {144}},
      // 3 by 3 to 6 by 6, bilinear: 36 results of 4 neighbours.
      {{"", "Resize", {"f32[1,1,3,3]", "", "f32[4]"}, {"f32[1,1,6,6]"}, {str("mode", "linear")}},
       0,
       288,
       {36, 0},
       {144}},
      {{"", "Resize", {"f32[1,1,6,6]", "", "f32[4]"}, {"f32[1,1,3,3]"}}, 0, 0, {36, 0}, {36}},
      // Batch 2, 3 heads of 4, 5 positions: 120 elements; rows of 2 for 5 positions.
      {{"", "RotaryEmbedding", {"f16[2,3,5,4]", "f16[50,2]", "f16[50,2]", "i64[2,5]"}, {"f16[2,3,5,4]"}},
       0,
       360,
       {240, 40, 40, 80},
       {240}},
      {{kMs,
        "RotaryEmbedding",
        {"f16[2,5,12]", "i64[1]", "f16[50,2]", "f16[50,2]"},
        {"f16[2,5,12]"},
        {num("num_heads", 3)}},
       0,
       360,
       {240, 8, 20, 20},
       {240}},
  };
  return all;
}

/// Rows of one operation per element, of one or two operands alike.
const std::vector<std::string> kOnePerElement = {"Abs",        "Acos",
                                                 "Acosh",      "Asin",
                                                 "Asinh",      "Atan",
                                                 "Atanh",      "BitwiseNot",
                                                 "Ceil",       "Cos",
                                                 "Cosh",       "Erf",
                                                 "Exp",        "Floor",
                                                 "IsInf",      "IsNaN",
                                                 "Log",        "Neg",
                                                 "Not",        "Reciprocal",
                                                 "Round",      "Sign",
                                                 "Sin",        "Sinh",
                                                 "Sqrt",       "Tan",
                                                 "And",        "BitShift",
                                                 "BitwiseAnd", "BitwiseOr",
                                                 "BitwiseXor", "Div",
                                                 "Equal",      "GreaterOrEqual",
                                                 "Less",       "LessOrEqual",
                                                 "Mod",        "Mul",
                                                 "Or",         "Pow",
                                                 "Sub",        "Xor"};

TEST_CASE("rows agree with numbers worked out by hand") {
  for (const ExpectedWork& one : cases()) {
    CAPTURE(one.of.domain);
    CAPTURE(one.of.type);
    for (const std::string& operand : one.of.operands) CAPTURE(operand);
    const OperatorFindings found = findingsOf(one.of);
    CHECK_FALSE(found.reason.has_value());
    CHECK(sum(found.matrix) == one.matrix);
    CHECK(sum(found.vector) == one.vector);
    CHECK(found.read == one.read);
    CHECK(found.written == one.written);
  }
  for (const std::string& type : kOnePerElement) {
    CAPTURE(type);
    const OperatorFindings found = findingsOf({"", type, {"f32[2,3]"}, {"f32[2,3]"}});
    CHECK(found.vector == FlopsByType{{ir::ElementType::Float, 6}});
    CHECK(found.read == Sizes{24});
    CHECK(found.written == Sizes{24});
  }
}

TEST_CASE("each row has a case") {
  std::set<std::pair<std::string, std::string>> known;
  for (const ExpectedWork& one : cases()) known.emplace(one.of.domain, one.of.type);
  for (const std::string& type : kOnePerElement) known.emplace("", type);
  for (const OperatorRow& row : operatorRows()) {
    CAPTURE(row.domain);
    CAPTURE(row.type);
    const std::string domain = row.domain == "*" ? "" : std::string(row.domain);
    CHECK(known.contains({domain, std::string(row.type)}));
    CHECK_FALSE(row.flops.empty());
  }
}

TEST_CASE("work is in the type that it is done in") {
  using ir::ElementType;
  const auto typesOf = [](const OperatorCase& one) {
    return std::pair(findingsOf(one).matrix, findingsOf(one).vector);
  };
  CHECK(typesOf({"", "Greater", {"f16[2]", "f16[2]"}, {"bool[2]"}}).second == FlopsByType{{ElementType::Float16, 2}});
  CHECK(typesOf({"", "Where", {"bool[2]", "f16[2]", "f16[2]"}, {"f16[2]"}}).second ==
        FlopsByType{{ElementType::Float16, 2}});
  CHECK(typesOf({kMs, "DynamicQuantizeMatMul", {"f32[2,3]", "i8[3,5]", "f32[]"}, {"f32[2,5]"}}) ==
        std::pair(FlopsByType{{ElementType::Int8, 60}}, FlopsByType{{ElementType::Float, 40}}));
  // The projection of quantised matrices, and attention in floats.
  CHECK(typesOf({kMs,
                 "QAttention",
                 {"u8[2,5,12]", "i8[12,36]", "f32[36]", "f32[]", "f32[]"},
                 {"f32[2,5,12]"},
                 {num("num_heads", 3)}})
            .first == FlopsByType{{ElementType::Float, 2400}, {ElementType::Int8, 8640}});
}

TEST_CASE("what is not known makes the work unknown, with a reason") {
  const auto reasonOf = [](const OperatorCase& one) {
    const auto found = findingsOf(one);
    return found.reason ? std::optional(found.reason->reason) : std::nullopt;
  };
  using enum Absence::Reason;
  CHECK(reasonOf({"", "NoSuchOperator", {"f32[2]"}, {"f32[2]"}}) == NoOperatorRow);
  CHECK(reasonOf({"", "MatMul", {"f32[?,3]", "f32[3,5]"}, {"f32[?,5]"}}) == NoShape);
  CHECK(reasonOf({"", "Relu", {"x[2]"}, {"x[2]"}}) == NoShape);
  // Lengths that only the run knows.
  CHECK(reasonOf({"", "RNN", {"f32[4,2,3]", "f32[1,5,3]", "f32[1,5,5]", "", "i32[2]"}, {"f32[4,1,2,5]"}}) ==
        NoElements);
  CHECK(reasonOf({kMs,
                  "PackedAttention",
                  {"f16[5,12]", "f16[12,36]", "f16[36]", "i32[2,3]", "i32[3]"},
                  {"f16[5,12]"},
                  {num("num_heads", 3)}}) == NoElements);
  CHECK(reasonOf({"", "Trilu", {"f32[3,4]", "i64[]"}, {"f32[3,4]"}}) == NoElements);
  CHECK(reasonOf({"", "Dropout", {"f32[8]", "f32[]", "bool[]"}, {"f32[8]"}}) == NoElements);
  CHECK(reasonOf({"", "Einsum", {"f32[2,3]", "f32[3,5]"}, {"f32[2,5]"}, {str("equation", "...j,jk->...k")}}) ==
        OtherForm);
  CHECK(reasonOf({"", "Einsum", {"f32[2]", "f32[2]", "f32[2]"}, {"f32[]"}, {str("equation", "i,i,i->")}}) == OtherForm);
  CHECK(reasonOf({kMs, "FusedGemm", {"f32[2,3]", "f32[3,5]"}, {"f32[2,5]"}, {str("activation", "Unknown")}}) ==
        OtherForm);
  CHECK(reasonOf({"", "Attention", {"f16[2,5,12]", "f16[2,6,12]", "f16[2,6,12]"}, {"f16[2,5,12]"}}) == OtherForm);
  CHECK(reasonOf({"",
                  "MatMul",
                  {"f32[3037000500,3037000500]", "f32[3037000500,3037000500]"},
                  {"f32[3037000500,3037000500]"}}) == LargeWork);
}

TEST_CASE("a triangle has the elements up to its diagonal") {
  // Rows of a 3 by 4 matrix.
  CHECK(*lowerTriangle(3, 4, 0) == 1 + 2 + 3);
  CHECK(*lowerTriangle(3, 4, 1) == 2 + 3 + 4);
  CHECK(*lowerTriangle(3, 4, 2) == 3 + 4 + 4);
  CHECK(*lowerTriangle(3, 4, -1) == 0 + 1 + 2);
  CHECK(*lowerTriangle(3, 4, -3) == 0);
  CHECK(*lowerTriangle(3, 4, 100) == 12);
  CHECK(*lowerTriangle(5, 2, 0) == 1 + 2 + 2 + 2 + 2);
  CHECK(*lowerTriangle(0, 2, 0) == 0);
  CHECK_FALSE(lowerTriangle(Amount::unknown(), 2, 0).isKnown());
  CHECK(lowerTriangle(int64_t{1} << 62, int64_t{1} << 62, 0).isTooLarge());
}

TEST_CASE("an empty tensor takes no bytes, however large its other dimensions are") {
  constexpr int64_t kLarge = int64_t{1} << 40;
  const auto bytesOf = [](std::vector<ir::Dim> dims) {
    ir::Module module;
    const ir::ValueId value = module.values.push_back({});
    module.values[value].type = ir::Type::tensor(ir::ElementType::Float, std::move(dims));
    return RunShapes(module).bytes(value);
  };
  CHECK(*bytesOf({ir::Dim::of(kLarge), ir::Dim::of(kLarge), ir::Dim::of(0)}) == 0);
  CHECK(bytesOf({ir::Dim::of(kLarge), ir::Dim::of(kLarge)}).isTooLarge());
}

TEST_CASE("amounts that do not fit stay so, and unknown ones count more") {
  const Amount large = Amount(int64_t{1} << 62) * Amount(2);
  CHECK(large.isTooLarge());
  CHECK((large / Amount(4)).isTooLarge());
  CHECK_FALSE((large + Amount::unknown()).isTooLarge());
  CHECK(*(Amount(3) - Amount(5)) == 0);
  CHECK_FALSE((Amount(3) / Amount(0)).isKnown());
  CHECK_FALSE(Amount(-1).isKnown());
}

}  // namespace
}  // namespace amdahlc

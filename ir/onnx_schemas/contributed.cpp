#include <algorithm>
#include <array>
#include <iterator>

#include "ir/onnx_schemas/operators.h"

namespace amdahlc::ir::onnx_schemas {
namespace {

/// Operators that ONNX Runtime's optimizer and exporters write. The ONNX library has no schemas for them.
constexpr auto kMicrosoftTypes = std::to_array<std::string_view>({"Attention",
                                                                  "AttnLSTM",
                                                                  "BeamSearch",
                                                                  "BiasAdd",
                                                                  "BiasDropout",
                                                                  "BiasGelu",
                                                                  "BiasSoftmax",
                                                                  "BiasSplitGelu",
                                                                  "BifurcationDetector",
                                                                  "BitmaskBiasDropout",
                                                                  "BitmaskDropout",
                                                                  "CDist",
                                                                  "ComplexMul",
                                                                  "ComplexMulConj",
                                                                  "ConvTransposeWithDynamicPads",
                                                                  "CropAndResize",
                                                                  "DecoderAttention",
                                                                  "DecoderMaskedMultiHeadAttention",
                                                                  "DecoderMaskedSelfAttention",
                                                                  "DequantizeBFP",
                                                                  "DequantizeLinear",
                                                                  "DequantizeWithOrder",
                                                                  "DynamicQuantizeLSTM",
                                                                  "DynamicQuantizeMatMul",
                                                                  "DynamicTimeWarping",
                                                                  "EmbedLayerNormalization",
                                                                  "ExpandDims",
                                                                  "FastGelu",
                                                                  "FusedConv",
                                                                  "FusedGemm",
                                                                  "FusedMatMul",
                                                                  "FusedMatMulActivation",
                                                                  "GatedRelativePositionBias",
                                                                  "GatherBlockQuantized",
                                                                  "GatherND",
                                                                  "Gelu",
                                                                  "GemmFastGelu",
                                                                  "GemmFloat8",
                                                                  "GemmaRotaryEmbedding",
                                                                  "GreedySearch",
                                                                  "GridSample",
                                                                  "GroupNorm",
                                                                  "GroupQueryAttention",
                                                                  "Inverse",
                                                                  "Irfft",
                                                                  "LongformerAttention",
                                                                  "MatMulBnb4",
                                                                  "MatMulFpQ4",
                                                                  "MatMulInteger16",
                                                                  "MatMulIntegerToFloat",
                                                                  "MatMulNBits",
                                                                  "MaxpoolWithMask",
                                                                  "MoE",
                                                                  "MulInteger",
                                                                  "MultiHeadAttention",
                                                                  "MurmurHash3",
                                                                  "NGramRepeatBlock",
                                                                  "NhwcConv",
                                                                  "NhwcFusedConv",
                                                                  "NhwcMaxPool",
                                                                  "PackedAttention",
                                                                  "PackedMultiHeadAttention",
                                                                  "Pad",
                                                                  "PagedAttention",
                                                                  "QAttention",
                                                                  "QGemm",
                                                                  "QLinearAdd",
                                                                  "QLinearAveragePool",
                                                                  "QLinearConcat",
                                                                  "QLinearConv",
                                                                  "QLinearGlobalAveragePool",
                                                                  "QLinearLeakyRelu",
                                                                  "QLinearMul",
                                                                  "QLinearReduceMean",
                                                                  "QLinearSigmoid",
                                                                  "QLinearSoftmax",
                                                                  "QMoE",
                                                                  "QuantizeLinear",
                                                                  "QuickGelu",
                                                                  "RelativePositionBias",
                                                                  "RemovePadding",
                                                                  "RestorePadding",
                                                                  "Rfft",
                                                                  "RotaryEmbedding",
                                                                  "SimplifiedLayerNormalization",
                                                                  "SkipGroupNorm",
                                                                  "SkipLayerNormalization",
                                                                  "SkipSimplifiedLayerNormalization",
                                                                  "Snpe",
                                                                  "SparseAttention",
                                                                  "SparseToDenseMatMul",
                                                                  "Tokenizer",
                                                                  "TransposeMatMul",
                                                                  "Trilu",
                                                                  "UnfoldTensor",
                                                                  "WhisperBeamSearch"});

/// Convolutions of ONNX Runtime over blocked channels, for CPUs.
constexpr auto kBlockedTypes =
    std::to_array<std::string_view>({"AveragePool", "Conv", "GlobalAveragePool", "GlobalMaxPool", "MaxPool",
                                     "ReorderInput", "ReorderOutput", "Upsample"});

/// Operators that ONNX Runtime adds to ONNX's own domain.
constexpr auto kOnnxDomainTypes = std::to_array<std::string_view>({"SimplifiedLayerNormalization"});

constexpr Contributed kContributed[] = {
    {kMicrosoft, kMicrosoftTypes}, {kBlocked, kBlockedTypes}, {"", kOnnxDomainTypes}};

}  // namespace

std::span<const Contributed> contributedOperators() { return kContributed; }

bool isContributed(std::string_view domain, std::string_view type) {
  return std::any_of(std::begin(kContributed), std::end(kContributed), [&](const Contributed& row) {
    return row.domain == domain && std::find(row.types.begin(), row.types.end(), type) != row.types.end();
  });
}

}  // namespace amdahlc::ir::onnx_schemas

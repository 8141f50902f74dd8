#include "grammar/operator_schemas.h"

#include <onnx/defs/schema.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

namespace amdahlc::grammar {
namespace {

constexpr std::string_view kMicrosoft = "com.microsoft";
constexpr std::string_view kBlocked = "com.microsoft.nchwc";

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

uint32_t bounded(int count) {
  return count < 0 || count == std::numeric_limits<int>::max() ? std::numeric_limits<uint32_t>::max()
                                                               : static_cast<uint32_t>(count);
}

}  // namespace

OperatorSchemas::OperatorSchemas() {
  std::map<const OperatorInfo*, int64_t> latestSince;  // looked up, never iterated for output
  for (const ONNX_NAMESPACE::OpSchema& schema : ONNX_NAMESPACE::OpSchemaRegistry::get_all_schemas_with_history()) {
    OperatorInfo& info = operators_[{schema.domain(), schema.Name()}];
    const int64_t since = schema.SinceVersion();
    if (schema.Deprecated()) {
      info.removed = std::max(info.removed, since);
      continue;
    }
    int64_t& latest = latestSince[&info];
    latest = std::max(latest, since);
    const auto min = static_cast<uint32_t>(schema.min_input());
    info.since = info.hasSchema ? std::min(info.since, since) : since;
    info.minOperands = info.hasSchema ? std::min(info.minOperands, min) : min;
    info.maxOperands = std::max(info.maxOperands, bounded(schema.max_input()));
    info.maxResults = std::max(info.maxResults, bounded(schema.max_output()));
    for (const auto& [name, attribute] : schema.attributes()) info.attributes.insert(name);
    info.hasSchema = true;
  }
  // `GroupNormalization` was deprecated in opset 18 and came back in 21.
  for (auto& [name, info] : operators_)
    if (const auto latest = latestSince.find(&info); latest != latestSince.end() && latest->second > info.removed)
      info.removed = 0;
  const auto addNames = [&](std::string_view domain, std::span<const std::string_view> types) {
    for (const std::string_view type : types) operators_.try_emplace({std::string(domain), std::string(type)});
  };
  addNames(kMicrosoft, kMicrosoftTypes);
  addNames(kBlocked, kBlockedTypes);
  addNames("", kOnnxDomainTypes);
}

const OperatorInfo* OperatorSchemas::find(std::string_view domain, std::string_view type) const {
  const auto found = operators_.find(std::pair{std::string(domain), std::string(type)});
  return found == operators_.end() ? nullptr : &found->second;
}

bool OperatorSchemas::knowsDomain(std::string_view domain) const {
  const auto first = operators_.lower_bound(std::pair{std::string(domain), std::string()});
  return first != operators_.end() && first->first.first == domain;
}

std::vector<std::string> OperatorSchemas::typesOf(std::string_view domain) const {
  std::vector<std::string> out;
  for (const auto& [key, info] : operators_)
    if (key.first == domain) out.push_back(key.second);
  return out;
}

std::vector<std::string> OperatorSchemas::elsewhere(std::string_view type) const {
  std::vector<std::string> out;
  for (const auto& [key, info] : operators_)
    if (key.second == type && !key.first.empty()) out.push_back(key.first + "::" + key.second);
  return out;
}

bool isCommutative(std::string_view domain, std::string_view type) {
  static constexpr std::array<std::string_view, 13> kTypes{
      "Add", "And", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal", "Max", "Mean", "Min", "Mul", "Or", "Sum", "Xor"};
  return domain.empty() && std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

}  // namespace amdahlc::grammar

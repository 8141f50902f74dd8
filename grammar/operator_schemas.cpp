#include "grammar/operator_schemas.h"

#include <onnx/defs/schema.h>

#include <algorithm>
#include <array>
#include <iterator>
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

/// Contributed operators without a schema, by domain.
struct Contributed {
  std::string_view domain;
  std::span<const std::string_view> types;
};
constexpr Contributed kContributed[] = {
    {kMicrosoft, kMicrosoftTypes}, {kBlocked, kBlockedTypes}, {"", kOnnxDomainTypes}};

bool isContributed(std::string_view domain, std::string_view type) {
  return std::any_of(std::begin(kContributed), std::end(kContributed), [&](const Contributed& row) {
    return row.domain == domain && std::find(row.types.begin(), row.types.end(), type) != row.types.end();
  });
}

/// All versions of an operator in one; nullopt if no opset has it.
std::optional<OperatorInfo> readVersions(const std::string& domain, const std::string& type) {
  OperatorInfo info;
  int64_t latest = 0;
  bool isKnown = false;
  for (int version = std::numeric_limits<int>::max(); version > 0;) {
    const auto* schema = ONNX_NAMESPACE::OpSchemaRegistry::Schema(type, version, domain);
    if (schema == nullptr) break;
    isKnown = true;
    const int since = schema->SinceVersion();
    version = since - 1;
    if (schema->Deprecated()) {
      info.removed = std::max<int64_t>(info.removed, since);
      continue;
    }
    latest = std::max<int64_t>(latest, since);
    const auto min = static_cast<uint32_t>(schema->min_input());
    info.since = since;
    info.minOperands = info.hasSchema ? std::min(info.minOperands, min) : min;
    info.maxOperands = std::max(info.maxOperands, bounded(schema->max_input()));
    info.maxResults = std::max(info.maxResults, bounded(schema->max_output()));
    for (const auto& [name, attribute] : schema->attributes()) info.attributes.insert(name);
    info.hasSchema = true;
  }
  // `GroupNormalization` was deprecated in opset 18 and came back in 21.
  if (latest > info.removed) info.removed = 0;
  return isKnown || isContributed(domain, type) ? std::optional(info) : std::nullopt;
}

}  // namespace

const std::set<std::pair<std::string, std::string>>& OperatorSchemas::names() const {
  if (!names_.empty()) return names_;
  for (const auto& schema : ONNX_NAMESPACE::OpSchemaRegistry::get_all_schemas_with_history())
    names_.emplace(schema.domain(), schema.Name());
  for (const Contributed& row : kContributed)
    for (const std::string_view type : row.types) names_.emplace(row.domain, type);
  return names_;
}

const OperatorInfo* OperatorSchemas::find(std::string_view domain, std::string_view type) const {
  const auto [entry, isNew] = operators_.try_emplace(std::pair{std::string(domain), std::string(type)});
  if (isNew) entry->second = readVersions(entry->first.first, entry->first.second);
  return entry->second ? &*entry->second : nullptr;
}

bool OperatorSchemas::knowsDomain(std::string_view domain) const {
  const auto& versions = ONNX_NAMESPACE::OpSchemaRegistry::DomainToVersionRange::Instance().Map();
  return versions.contains(std::string(domain)) ||
         std::any_of(std::begin(kContributed), std::end(kContributed),
                     [&](const Contributed& row) { return row.domain == domain; });
}

std::vector<std::string> OperatorSchemas::typesOf(std::string_view domain) const {
  std::vector<std::string> out;
  for (const auto& [itsDomain, type] : names())
    if (itsDomain == domain) out.push_back(type);
  return out;
}

std::vector<std::string> OperatorSchemas::elsewhere(std::string_view type) const {
  std::vector<std::string> out;
  for (const auto& [domain, itsType] : names())
    if (itsType == type && !domain.empty()) out.emplace_back(domain).append("::").append(itsType);
  return out;
}

bool isCommutative(std::string_view domain, std::string_view type) {
  static constexpr std::array<std::string_view, 13> kTypes{
      "Add", "And", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "Equal", "Max", "Mean", "Min", "Mul", "Or", "Sum", "Xor"};
  return domain.empty() && std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

}  // namespace amdahlc::grammar

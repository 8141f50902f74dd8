// Shapes of the operators that ONNX Runtime adds. ONNX has no schema for them: without this table, 13 of 188 values get
// shapes in an optimised ViT.

#include <algorithm>
#include <iterator>

#include <onnx/defs/shape_inference.h>

#include "ir/onnx_import/schemas.h"
#include "ir/onnx_schemas/operators.h"
#include "ir/onnx_schemas/registry.h"

namespace amdahlc::ir::onnx_import {

namespace {

using onnx::InferenceContext;
using onnx::TensorShapeProto;
using Infer = onnx::InferenceFunction;

int64_t integerAttribute(InferenceContext& context, const char* name, int64_t fallback) {
  const auto* attribute = context.getAttribute(name);
  return attribute != nullptr && attribute->has_i() ? attribute->i() : fallback;
}

const TensorShapeProto* shapeOf(InferenceContext& context, size_t input) {
  if (input >= context.getNumInputs() || !onnx::hasInputShape(context, input)) return nullptr;
  return &onnx::getInputShape(context, input);
}

TensorShapeProto* outputShape(InferenceContext& context, size_t output) {
  return context.getOutputType(output)->mutable_tensor_type()->mutable_shape();
}

void setShape(InferenceContext& context, size_t output, const TensorShapeProto& shape) {
  *outputShape(context, output) = shape;
}

void copyElement(InferenceContext& context, size_t input, size_t output) {
  if (output < context.getNumOutputs() && input < context.getNumInputs() && context.getInputType(input) != nullptr)
    onnx::propagateElemTypeFromInputToOutput(context, input, output);
}

/// Output `output` has the type and the shape of input `input`.
void copyInput(InferenceContext& context, size_t input, size_t output) {
  if (output >= context.getNumOutputs()) return;
  copyElement(context, input, output);
  if (const auto* shape = shapeOf(context, input)) setShape(context, output, *shape);
}

/// Uses the inference of an operator of ONNX, whose operands come first.
Infer like(const char* type, int version) {
  return [type, version](InferenceContext& context) {
    if (const auto* schema = onnx_schemas::findSchema(onnx::ONNX_DOMAIN, type, version))
      schema->GetTypeAndShapeInferenceFunction()(context);
  };
}

void sameAsFirst(InferenceContext& context) { copyInput(context, 0, 0); }

void broadcastInto(InferenceContext& context, const TensorShapeProto& a, const TensorShapeProto& b) {
  onnx::multidirectionalBroadcastShapeInference({&a, &b}, *outputShape(context, 0));
}

/// QLinearAdd and its kind: (A, scale, zero, B, scale, zero, ...).
void quantizedBinary(InferenceContext& context) {
  copyElement(context, 0, 0);
  const auto *a = shapeOf(context, 0), *b = shapeOf(context, 3);
  if (a != nullptr && b != nullptr) broadcastInto(context, *a, *b);
}

/// Batched product of shapes with the two last dimensions optionally exchanged.
void matMulShape(InferenceContext& context, size_t left, size_t right, bool transA, bool transB) {
  const auto *leftShape = shapeOf(context, left), *rightShape = shapeOf(context, right);
  if (leftShape == nullptr || rightShape == nullptr || leftShape->dim_size() < 1 || rightShape->dim_size() < 1) return;
  TensorShapeProto a = *leftShape, b = *rightShape;
  const bool vectorA = a.dim_size() == 1, vectorB = b.dim_size() == 1;
  if (vectorA) {
    a.mutable_dim()->Add()->set_dim_value(1);
    a.mutable_dim()->SwapElements(0, 1);
  } else if (transA) {
    a.mutable_dim()->SwapElements(a.dim_size() - 1, a.dim_size() - 2);
  }
  if (vectorB)
    b.mutable_dim()->Add()->set_dim_value(1);
  else if (transB)
    b.mutable_dim()->SwapElements(b.dim_size() - 1, b.dim_size() - 2);
  const auto rows = a.dim(a.dim_size() - 2), columns = b.dim(b.dim_size() - 1);
  a.mutable_dim()->RemoveLast();
  a.mutable_dim()->RemoveLast();
  b.mutable_dim()->RemoveLast();
  b.mutable_dim()->RemoveLast();
  broadcastInto(context, a, b);
  auto* result = outputShape(context, 0);
  if (!vectorA) *result->add_dim() = rows;
  if (!vectorB) *result->add_dim() = columns;
}

void fusedMatMul(InferenceContext& context) {
  copyElement(context, 0, 0);
  // The rarely used transBatch forms move a batch dimension. Their shape stays unknown.
  if (integerAttribute(context, "transBatchA", 0) != 0 || integerAttribute(context, "transBatchB", 0) != 0) return;
  matMulShape(context, 0, 1, integerAttribute(context, "transA", 0) != 0, integerAttribute(context, "transB", 0) != 0);
}

/// A times a weight that was quantised to (N, blocks, bytes).
void matMulNBits(InferenceContext& context) {
  copyElement(context, 0, 0);
  const auto* shape = shapeOf(context, 0);
  const int64_t columns = integerAttribute(context, "N", 0);
  if (shape == nullptr || shape->dim_size() < 1 || columns <= 0) return;
  setShape(context, 0, *shape);
  auto* result = outputShape(context, 0);
  result->mutable_dim(result->dim_size() - 1)->set_dim_value(columns);
}

/// Float product of quantised or mixed operands.
void floatMatMul(InferenceContext& context) {
  onnx::updateOutputElemType(context, 0, onnx::TensorProto::FLOAT);
  matMulShape(context, 0, 1, false, false);
}

/// (input, skip, gamma, beta, bias) -> (output, mean, inverse deviation, input + skip).
void skipLayerNormalization(InferenceContext& context) {
  copyInput(context, 0, 0);
  copyInput(context, 0, 3);
}

/// (ids, segment ids, word, position, segment, ...) -> (batch, sequence, hidden), and the mask's row sums.
void embedLayerNormalization(InferenceContext& context) {
  copyElement(context, 2, 0);
  const auto *ids = shapeOf(context, 0), *words = shapeOf(context, 2);
  if (ids != nullptr && words != nullptr && ids->dim_size() == 2 && words->dim_size() == 2) {
    TensorShapeProto shape = *ids;
    *shape.add_dim() = words->dim(1);
    setShape(context, 0, shape);
  }
  if (context.getNumOutputs() < 2) return;
  onnx::updateOutputElemType(context, 1, onnx::TensorProto::INT32);
  if (ids != nullptr && ids->dim_size() == 2) *outputShape(context, 1)->add_dim() = ids->dim(0);
}

/// Attention(input, weights, bias, ...): the value part is a third of the packed projection unless `qkv_hidden_sizes`
/// says otherwise.
void packedAttention(InferenceContext& context) {
  copyElement(context, 0, 0);
  const auto *input = shapeOf(context, 0), *bias = shapeOf(context, 2);
  if (input == nullptr || input->dim_size() != 3) return;
  setShape(context, 0, *input);
  auto* hidden = outputShape(context, 0)->mutable_dim(2);
  const auto* sizes = context.getAttribute("qkv_hidden_sizes");
  if (sizes != nullptr && sizes->ints_size() == 3)
    hidden->set_dim_value(sizes->ints(2));
  else if (bias != nullptr && bias->dim_size() == 1 && bias->dim(0).has_dim_value())
    hidden->set_dim_value(bias->dim(0).dim_value() / 3);
}

/// QAttention(input, weights, bias, input scale, ...): the result is as wide as the scale.
void quantizedAttention(InferenceContext& context) {
  packedAttention(context);
  copyElement(context, 3, 0);
}

/// MultiHeadAttention(query, key, value, ...): (batch, sequence, hidden of the values).
void multiHeadAttention(InferenceContext& context) {
  copyElement(context, 0, 0);
  const auto *query = shapeOf(context, 0), *value = shapeOf(context, 2);
  if (query == nullptr) return;
  if (query->dim_size() == 5) {  // packed (batch, sequence, heads, 3, head size)
    auto* shape = outputShape(context, 0);
    *shape->add_dim() = query->dim(0);
    *shape->add_dim() = query->dim(1);
    *shape->add_dim() = query->dim(2) * query->dim(4);
  } else if (query->dim_size() == 3) {
    setShape(context, 0, *query);
    if (value != nullptr && value->dim_size() == 3) *outputShape(context, 0)->mutable_dim(2) = value->dim(2);
    if (value != nullptr && value->dim_size() == 4)
      *outputShape(context, 0)->mutable_dim(2) = value->dim(1) * value->dim(3);
  }
}

/// GroupQueryAttention(query, key, value, ...): as the query; packed projections hold queries, keys and values side by
/// side.
void groupQueryAttention(InferenceContext& context) {
  copyElement(context, 0, 0);
  const auto* query = shapeOf(context, 0);
  if (query == nullptr || query->dim_size() != 3) return;
  setShape(context, 0, *query);
  const int64_t heads = integerAttribute(context, "num_heads", 0),
                keyHeads = integerAttribute(context, "kv_num_heads", 0);
  if (shapeOf(context, 1) != nullptr || !query->dim(2).has_dim_value() || heads <= 0 || keyHeads <= 0) return;
  outputShape(context, 0)->mutable_dim(2)->set_dim_value(query->dim(2).dim_value() / (heads + 2 * keyHeads) * heads);
}

/// Halves the last dimension.
void biasSplitGelu(InferenceContext& context) {
  copyInput(context, 0, 0);
  const auto* shape = shapeOf(context, 0);
  if (shape == nullptr || shape->dim_size() < 1) return;
  *outputShape(context, 0)->mutable_dim(shape->dim_size() - 1) = shape->dim(shape->dim_size() - 1) / 2;
}

/// Blocked layout back to NCHW or NHWC, without the channels that blocking padded.
void reorderOutput(InferenceContext& context) {
  copyInput(context, 0, 0);
  const auto* shape = shapeOf(context, 0);
  const int64_t channels = integerAttribute(context, "channels", 0);
  if (shape == nullptr || shape->dim_size() < 2 || channels <= 0) return;
  auto* result = outputShape(context, 0);
  result->mutable_dim(1)->set_dim_value(channels);
  if (integerAttribute(context, "channels_last", 0) == 0) return;
  for (int i = 1; i + 1 < result->dim_size(); ++i) result->mutable_dim()->SwapElements(i, i + 1);
}

/// NCHW or NHWC into the blocked layout, which is written in NCHW order.
void reorderInput(InferenceContext& context) {
  copyInput(context, 0, 0);
  const auto* shape = shapeOf(context, 0);
  if (shape == nullptr || integerAttribute(context, "channels_last", 0) == 0) return;
  auto* result = outputShape(context, 0);
  for (int i = result->dim_size() - 1; i > 1; --i) result->mutable_dim()->SwapElements(i, i - 1);
}

struct Row {
  std::string_view domain;
  std::string_view type;
  Infer infer;
};

using onnx_schemas::kBlocked;
using onnx_schemas::kMicrosoft;

const std::vector<Row>& rows() {
  static const std::vector<Row> table = {
#define AMDAHLC_CONTRIBUTED(DOMAIN, TYPE, INFER) {DOMAIN, TYPE, INFER},
#include "ir/onnx_schemas/contributed.def"
  };
  return table;
}

/// Operators of the first opsets that were called experimental and removed in ONNX 1.5.
constexpr std::string_view kExperimental[] = {"ATen",
                                              "Affine",
                                              "ConstantFill",
                                              "Crop",
                                              "DynamicSlice",
                                              "GRUUnit",
                                              "GivenTensorFill",
                                              "ImageScaler",
                                              "ParametricSoftplus",
                                              "Scale",
                                              "ScaledTanh"};

}  // namespace

onnx::InferenceFunction contribInference(std::string_view domain, std::string_view type) {
  for (const Row& row : rows())
    if (row.domain == domain && row.type == type) return row.infer;
  return {};
}

bool isContribOfOnnxDomain(std::string_view type) {
  return onnx_schemas::isContributed("", type) || std::ranges::find(kExperimental, type) != std::end(kExperimental);
}

}  // namespace amdahlc::ir::onnx_import

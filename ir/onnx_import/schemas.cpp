#include "ir/onnx_import/schemas.h"

#include <onnx/defs/shape_inference.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "ir/known_values.h"
#include "ir/onnx_import/steps.h"
#include "ir/onnx_import/wording.h"
#include "ir/onnx_schemas/proto_values.h"
#include "ir/onnx_schemas/registry.h"
#include "support/limits.h"
#include "support/printable.h"

namespace amdahlc::ir::onnx_import {

namespace {

/// `node Add (sum)` -> `sum`, `node Add` -> `Add`.
std::string nodeOf(const std::string& displayName) {
  const size_t name = displayName.find(" (");
  if (name != std::string::npos) return displayName.substr(name + 2, displayName.size() - name - 3);
  constexpr std::string_view kPrefix = "node ";
  return displayName.starts_with(kPrefix) ? displayName.substr(kPrefix.size()) : displayName;
}

struct Operator {
  std::string_view domain;
  std::string_view name;
};

/// ONNX's inference of these operators reads the type of the first operand without a check that it has one. All others
/// check: a unit test tries every schema of the library with operands without types. The rule is not "skip any operator
/// whose operand has no type", because Cast, Shape, If, comparisons and many more infer a type without it.
constexpr Operator kReadsMissingType[] = {{onnx::ONNX_DOMAIN, "EyeLike"},
                                          {onnx::ONNX_DOMAIN, "RegexFullMatch"},
                                          {onnx::AI_ONNX_ML_DOMAIN, "DictVectorizer"},
                                          {onnx::AI_ONNX_ML_DOMAIN, "LabelEncoder"},
                                          {onnx::AI_ONNX_ML_DOMAIN, "TreeEnsemble"}};

bool readsMissingType(const std::string& domain, const std::string& op) {
  return std::ranges::any_of(kReadsMissingType,
                             [&](const Operator& row) { return row.domain == domain && row.name == op; });
}

bool hasTypedOperand(const onnx::InferenceContext& context) {
  return context.getNumInputs() > 0 && context.getInputType(0) != nullptr;
}

/// ONNX's Einsum does not advance past a character of an operand's term that is no label, no blank and not the only
/// ellipsis of its term.
bool hasReadableEquation(onnx::InferenceContext& context) {
  const onnx::AttributeProto* equation = context.getAttribute("equation");
  if (equation == nullptr) return true;
  const std::string_view text = equation->s();
  bool hasEllipsis = false;
  for (size_t at = 0; at < text.size() && text.substr(at, 2) != "->"; ++at) {
    const char c = text[at];
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ') continue;
    if (c == ',') {
      hasEllipsis = false;
    } else if (text.substr(at, 3) == "..." && !hasEllipsis) {
      hasEllipsis = true;
      at += 2;
    } else {
      return false;
    }
  }
  return true;
}

/// ONNX's Split makes a vector of `num_outputs` lengths and reads one for each result, without comparing the two
/// counts.
bool hasPartForEachResult(onnx::InferenceContext& context) {
  const onnx::AttributeProto* count = context.getAttribute("num_outputs");
  return count == nullptr || (std::cmp_equal(count->i(), context.getNumOutputs()));
}

/// ONNX's Slice of known values adds the step to an index without a bound: a step far outside of any shape overflows
/// it.
bool isFollowable(const std::string& op, onnx::DataPropagationContext& context) {
  constexpr size_t kSteps = 4;
  constexpr int64_t kMaxStep = 1 << 20;
  if (op != "Slice" || context.getNumInputs() <= kSteps) return true;
  const onnx::TensorShapeProto* steps = context.getInputData(kSteps);
  if (steps == nullptr) return true;
  return std::ranges::all_of(steps->dim(), [](const auto& step) {
    return step.has_dim_value() && step.dim_value() >= -kMaxStep && step.dim_value() <= kMaxStep;
  });
}

/// The library makes a value of as many unknown numbers as a vector has elements, of any operand whose size it knows,
/// and `Concat` appends such values to each other. Longer ones than this are no shapes. `Shape` and `Size` do not read
/// the values of their operand.
bool hasShortOperands(const std::string& op, onnx::DataPropagationContext& context) {
  if (tellsShape(op)) return true;
  int64_t elements = 0;
  for (size_t i = 0; i < context.getNumInputs(); ++i) {
    const onnx::TypeProto* type = context.getInputType(i);
    const bool hasRank = type != nullptr && type->has_tensor_type() && type->tensor_type().has_shape();
    if (!hasRank && op == "Concat") return false;
    if (!hasRank || type->tensor_type().shape().dim_size() != 1) continue;
    const auto& dim = type->tensor_type().shape().dim(0);
    if (dim.dim_value() > limits::kPropagatedElements) return false;
    elements += std::max<int64_t>(dim.dim_value(), 0);
  }
  return elements <= limits::kPropagatedElements;
}

}  // namespace

void InferenceFindings::add(const std::string& at, std::string_view message) {
  if (count++ > 0) return;
  node = printable(at);
  what = printable(libraryMessage(message));
}

std::unique_ptr<onnx::OpSchema> ImportSchemas::guarded(const std::string& key, int version,
                                                       const std::string& domain) const {
  const auto* original = onnx_schemas::findSchema(domain, key, version);
  onnx::InferenceFunction infer;
  if (original == nullptr)
    infer = contribInference(domain, key);
  else if (original->has_type_and_shape_inference_function())
    infer = original->GetTypeAndShapeInferenceFunction();
  if (original == nullptr && !infer) return nullptr;

  auto schema = original != nullptr ? std::make_unique<onnx::OpSchema>(*original)
                                    : std::make_unique<onnx::OpSchema>(key, "onnx runtime", 0);
  if (infer) {
    const bool needsType = readsMissingType(domain, key);
    const bool isEinsum = domain.empty() && key == "Einsum";
    const bool isSplit = domain.empty() && key == "Split";
    schema->TypeAndShapeInferenceFunction([this, needsType, isEinsum, isSplit, infer](onnx::InferenceContext& context) {
      if (needsType && !hasTypedOperand(context)) return;
      if (isEinsum && !hasReadableEquation(context))
        return failures_.add(nodeOf(context.getDisplayName()), "the equation has a character that is no label");
      if (isSplit && !hasPartForEachResult(context))
        return failures_.add(nodeOf(context.getDisplayName()), "`num_outputs` is not the number of results");
      callLibrary([&] { inferBodies(infer, context); },
                  [&](const char* what) {
                    failures_.add(nodeOf(context.getDisplayName()), what);
                    dropUncertain(context);
                  });
      for (size_t i = 0; i < context.getNumOutputs(); ++i)
        if (onnx::TypeProto* type = context.getOutputType(i)) highRanks_ += dropHighRanks(*type);
    });
  }
  onnx::DataPropagationFunction propagate;
  if (original != nullptr && original->has_data_propagation_function())
    propagate = original->GetDataPropagationFunction();
  if (original != nullptr && domain.empty()) propagate = valuePropagation(key, std::move(propagate));
  if (propagate) {
    // A value that cannot be computed is not a failure; it stays unknown.
    schema->PartialDataPropagationFunction([key, propagate](onnx::DataPropagationContext& context) {
      if (hasShortOperands(key, context) && isFollowable(key, context))
        callLibrary([&] { propagate(context); }, [](const char*) {});
    });
  }
  return schema;
}

const onnx::OpSchema* ImportSchemas::GetSchema(const std::string& key, int maxInclusiveVersion,
                                               const std::string& domain) const {
  if (const auto known =
          cache_.find(std::tuple<std::string_view, int, std::string_view>(key, maxInclusiveVersion, domain));
      known != cache_.end())
    return known->second.get();
  return cache_.emplace(std::tuple(key, maxInclusiveVersion, domain), guarded(key, maxInclusiveVersion, domain))
      .first->second.get();
}

InferenceFindings inferShapes(onnx::ModelProto& model, ImportSchemas& schemas) {
  InferenceFindings conflicts;
  onnx::shape_inference::DataValueMap values;
  // Because of the guards, strict mode only reports declared shapes that contradict inferred ones. It throws after the
  // last node.
  const onnx::ShapeInferenceOptions options(/*check_type=*/false, /*strict_mode=*/1, /*data_prop=*/true);
  const auto infer = [&] { onnx::shape_inference::InferShapes(model, &schemas, options, &values); };
  callLibrary(infer, [&](std::string_view text) {
    // `Inference error(s): (op_type:Add, node name: a): [..] text` and one line for each further node.
    constexpr std::string_view kHead = "Inference error(s): ";
    if (const size_t head = text.find(kHead); head != std::string_view::npos) text.remove_prefix(head + kHead.size());
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      if (line.empty()) continue;
      constexpr std::string_view kName = "node name: ";
      const size_t name = line.find(kName);
      std::string node;
      if (name != std::string_view::npos)
        node = line.substr(name + kName.size(), line.find("):", name) - name - kName.size());
      conflicts.add(node, line);
    }
  });
  return conflicts;
}

}  // namespace amdahlc::ir::onnx_import

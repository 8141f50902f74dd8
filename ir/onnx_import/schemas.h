/// Operator schemas of the import: those of ONNX, and shape inference for the common operators of ONNX Runtime. Private
/// to this component.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <onnx/defs/schema.h>

#include "ir/onnx_schemas/onnx_proto.h"

namespace amdahlc::ir::onnx_import {

/// Shape inference for operators of `com.microsoft`, `com.microsoft.nchwc`, and those that ONNX Runtime puts into
/// ONNX's own domain; empty for others.
onnx::InferenceFunction contribInference(std::string_view domain, std::string_view type);
/// True for an operator of ONNX's own domain that only ONNX Runtime, or a very old exporter, knows.
bool isContribOfOnnxDomain(std::string_view type);

/// Data propagation for an operator of ONNX's own domain: the library's, or ours if it has none or a wrong one. May be
/// empty.
onnx::DataPropagationFunction valuePropagation(std::string_view type, onnx::DataPropagationFunction library);

/// Calls `infer` so that what it costs to infer a body depends on the body alone. The library copies the types of all
/// values around a body for each body, which is quadratic in a model of many bodies; a body inferred here is given the
/// types of the values that it mentions.
void inferBodies(const onnx::InferenceFunction& infer, onnx::InferenceContext& context);
/// Drops what inference found of the results before it failed: their shapes, and of an operator with bodies their
/// types, which would be those of one branch.
void dropUncertain(onnx::InferenceContext& context);

/// Nodes at which inference found something: how many, and the first one.
struct InferenceFindings {
  int64_t count = 0;
  std::string node, what;
  /// `message` is the library's.
  void add(const std::string& at, std::string_view message);
};

/// Returns schemas whose inference functions never throw, so that one bad node does not prevent the shapes of all
/// others.
class ImportSchemas final : public onnx::ISchemaRegistry {
 public:
  const onnx::OpSchema* GetSchema(const std::string& key, int maxInclusiveVersion,
                                  const std::string& domain) const override;

  /// Nodes whose shapes could not be inferred.
  const InferenceFindings& failures() const { return failures_; }
  /// Inferred shapes that `dropHighRanks` dropped.
  int64_t highRanks() const { return highRanks_; }

 private:
  std::unique_ptr<onnx::OpSchema> guarded(const std::string& key, int version, const std::string& domain) const;

  // GetSchema is const in the library's interface, so that its caches and counters are mutable. It is called for each
  // node: `std::less<>` compares with views, without a copy.
  mutable std::map<std::tuple<std::string, int, std::string>, std::unique_ptr<onnx::OpSchema>, std::less<>> cache_;
  mutable InferenceFindings failures_;
  mutable int64_t highRanks_ = 0;
};

/// Infers types and shapes in place, with data propagation. Failures are left in `schemas`. Returns declared shapes
/// that contradict their operators; the declared ones are kept.
InferenceFindings inferShapes(onnx::ModelProto& model, ImportSchemas& schemas);

}  // namespace amdahlc::ir::onnx_import

/// Prepares a parsed model before any other part of the ONNX library reads it. Private to this component.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/module.h"
#include "ir/onnx_schemas/onnx_proto.h"
#include "support/diagnostic.h"

namespace amdahlc::ir::onnx_import {

/// Problems that are counted, not reported one by one.
struct PrepareCounts {
  /// External data with an absolute path or one that leaves the model's folder.
  int64_t outsidePaths = 0;
  int64_t tensorsWithoutData = 0;
  /// Declared shapes that `dropHighRanks` dropped.
  int64_t highRanks = 0;
  std::string firstOutsidePath;
};

/// Makes shapes of more than limits::kRank dimensions unknown, in sequences and optionals, too. Returns their number.
int64_t dropHighRanks(onnx::TypeProto& type);
/// Drops all shapes of a type.
void dropShapes(onnx::TypeProto& type);

/// The same, of all declared types of the model.
void dropHighRanks(onnx::ModelProto& model, PrepareCounts& counts);

/// Drops all external references, and the data of big tensors, everywhere in the model. Reports malformed tensors as
/// `onnx-invalid` and returns false.
bool dropWeights(onnx::ModelProto& model, const std::string& file, PrepareCounts& counts,
                 DiagnosticEngine& diagnostics);

/// Replaces symbolic dimensions by numbers. Reports names that no type of the model uses as `onnx-unknown-dim` and
/// returns false.
bool fixDims(onnx::ModelProto& model, const std::map<std::string, int64_t>& dims, const std::string& file,
             DiagnosticEngine& diagnostics);

/// Inlines model-local functions. Functions with other opsets than the model's stay calls. Reports recursion, models
/// that would be too large, and graphs nested deeper than `limits::kGraphNesting` (with or without functions) as
/// `onnx-invalid` and returns false.
bool inlineFunctions(onnx::ModelProto& model, const std::string& file, DiagnosticEngine& diagnostics);

/// An initializer of a graph.
struct ConstantInfo {
  std::string name;
  TensorConstant constant;
  std::optional<int64_t> byteSize;
};
using GraphConstants = std::unordered_map<const onnx::GraphProto*, std::vector<ConstantInfo>>;

/// Reads the initializers of every graph; those without data then become plain typed names, so that shape inference
/// does not look for their data. The model's messages must not move afterwards.
GraphConstants takeConstants(onnx::ModelProto& model);

}  // namespace amdahlc::ir::onnx_import

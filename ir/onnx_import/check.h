/// Structure of a model: names, order, operators. Private to this component.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "ir/onnx_schemas/onnx_proto.h"
#include "support/diagnostic.h"

namespace amdahlc::ir::onnx_import {

struct CheckCounts {
  int64_t deprecatedOperators = 0;
  /// Nodes of a custom domain that the model does not import.
  int64_t domainsNotImported = 0;
  /// Nodes of ONNX's domains that this build's ONNX does not know, in an opset that it does not know either.
  int64_t newerOperators = 0;
};

/// Imported opsets by domain, ONNX's own spelled as the empty string.
std::map<std::string, int64_t> importedOpsets(const onnx::ModelProto& model);

/// Reports errors of the graph as `onnx-invalid`, at the node: names that are not defined or are defined twice, nodes
/// out of order, operators that ONNX does not know in the imported opset, wrong operand counts, missing attributes.
/// True if there are none. Operators of other domains are not checked. Unlike the library's checker it never reads a
/// tensor's data and never looks for a file.
bool checkModel(const onnx::ModelProto& model, const std::string& file, CheckCounts& counts,
                DiagnosticEngine& diagnostics);

}  // namespace amdahlc::ir::onnx_import

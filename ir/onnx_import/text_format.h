/// Parses ONNX's text form into a model. Private to this component.
#pragma once

#include "ir/onnx_schemas/onnx_proto.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::ir::onnx_import {

/// Reports `onnx-parse` at the place in the buffer and returns false if the text is not a model.
bool parseText(BufferId buffer, const SourceManager& sources, onnx::ModelProto& model, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::ir::onnx_import

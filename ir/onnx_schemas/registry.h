/// Schemas of the ONNX library. Private to the components of ONNX.
#pragma once

#include <string>

#include <onnx/defs/schema.h>

namespace amdahlc::ir::onnx_schemas {

/// The schema that opset `version` of `domain` selects; nullptr if there is none.
const onnx::OpSchema* findSchema(const std::string& domain, const std::string& type, int version);

}  // namespace amdahlc::ir::onnx_schemas

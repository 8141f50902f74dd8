/// Builds a module from a checked model with inferred shapes. Private to this component.
#pragma once

#include <string>

#include "ir/module.h"
#include "ir/onnx_import/prepare.h"
#include "ir/onnx_schemas/onnx_proto.h"

namespace amdahlc::ir::onnx_import {

/// Precondition: `checkModel` found nothing.
Module buildModule(const onnx::ModelProto& model, const GraphConstants& constants, const std::string& modelName);

}  // namespace amdahlc::ir::onnx_import

/// Names of values that no two graphs define of which one encloses the other. Private to this component.
#pragma once

#include <cstdint>

#include "ir/onnx_import/prepare.h"
#include "ir/onnx_schemas/onnx_proto.h"

namespace amdahlc::ir::onnx_import {

/// Renames values of bodies that have the name of a value of a graph around them to `NAME@N`, with the least number
/// that is free. ONNX forbids such names, but its checker accepts them, and its inference confuses the values.
///
/// Where a name is used, it means the value that is defined before it in the innermost graph that has one. In a body,
/// the results of the operator of that body are not defined yet. Returns the number of values that were renamed. The
/// model was checked before.
int64_t makeNamesUnique(onnx::ModelProto& model, GraphConstants& constants);

}  // namespace amdahlc::ir::onnx_import

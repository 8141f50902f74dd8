/// The ONNX library's messages in this project's words. Private to this component.
#pragma once

#include <string>
#include <string_view>

#include "ir/onnx_schemas/onnx_proto.h"

namespace amdahlc::ir::onnx_import {

/// One line, lower case, without tags, context or final period.
std::string libraryMessage(std::string_view message);

/// A node in messages: its name, or its type and index if it has none.
std::string nodeLabel(const onnx::NodeProto& node, size_t index);

}  // namespace amdahlc::ir::onnx_import

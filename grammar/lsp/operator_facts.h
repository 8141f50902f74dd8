/// What ONNX's schemas say about an operator, as text for hovers and completion.
#pragma once

#include <string>

#include "grammar/lsp/markup.h"
#include "ir/rules.h"

namespace amdahlc::lsp {

/// `MatMul` or `com.microsoft::Gelu`.
std::string describe(const ir::OperatorName& name);

/// Versions, inputs, outputs and attributes; of a contributed operator, that it has no schema.
void describeOperator(const ir::OperatorName& name, Markup& into);

/// `int, default -1`; empty if the operator has no such attribute, or no schema.
std::string describeAttribute(const ir::OperatorName& name, const std::string& attribute);

}  // namespace amdahlc::lsp

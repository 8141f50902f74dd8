/// Writes the program of runs as an ONNX file, which `importOnnx` reads as that program (docs/programs.md).
#pragma once

#include <string>

#include "ir/module.h"
#include "support/absence.h"

namespace amdahlc::ir {

/// The bytes of the file, or why there is none: protobuf has no messages of 2 GiB. Equal modules give equal bytes.
///
/// An operator of ONNX is written as such if that says nothing that is not known (`OperatorTypes::isStandard`), or else
/// in the domain `amdahlc.lowered`. All others keep their domains. Constants are inputs, because their elements are not
/// known. Metadata has what ONNX has no place for: the front end, the target, and of each node its id, its call, its
/// scope and the order.
///
/// Precondition: the module is recorded (`Module::isRecorded`), so that it has no bodies and no erased operators.
Known<std::string> writeProgram(const Module& module);

}  // namespace amdahlc::ir

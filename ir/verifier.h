/// Checks every invariant of a module, and reports each one that is broken.
#pragma once

#include "ir/module.h"
#include "support/diagnostic.h"

namespace amdahlc::ir {

/// Reports each broken invariant as `ir-invariant` at its ONNX element. True if there is none.
bool verify(const Module& module, DiagnosticEngine& diagnostics);

/// The defect of a pattern, or null. A pattern with a defect cannot be matched.
const char* defectOf(const Pattern& pattern);

}  // namespace amdahlc::ir

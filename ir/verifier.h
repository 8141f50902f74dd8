/// Checks the invariants of a module, and reports each one that is broken. Rules have none here: the checker of the
/// rule language makes all of them, and no pass changes one.
#pragma once

#include "ir/module.h"
#include "support/diagnostic.h"

namespace amdahlc::ir {

/// Reports each broken invariant as `ir-invariant` at its ONNX element. True if there is none.
bool verify(const Module& module, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::ir

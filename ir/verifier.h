/// Every invariant of a module, checked.
#pragma once

#include "ir/module.h"
#include "support/diagnostic.h"

namespace amdahlc::ir {

/// Regions in regions: far beyond what exporters nest, and what recursion stands.
inline constexpr int kMaxRegionDepth = 64;

/// Reports each broken invariant as `ir-invariant` at the ONNX element concerned; true when there is none.
bool verify(const Module& module, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::ir

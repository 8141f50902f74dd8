/// The value of `-target`.
#pragma once

#include <optional>
#include <string>

#include "replay/timeline/target.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::api {

/// Reads `pytorch/nvidia/sm_90` or `vendor=amd,arch=gfx942`.
std::optional<Target> readTarget(const std::string& text, SourceRange range, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::api

/// Values of options: lists, and `-target=`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/timeline/target.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::api {

/// `text` without the blanks around it.
std::string_view trimmed(std::string_view text);

/// A part of a value, with its range.
struct Piece {
  std::string text;
  SourceRange range;
};

/// The parts between `separator`, without the blanks around them. `range` is the place of the value.
std::vector<Piece> split(std::string_view value, SourceRange range, char separator);

/// Reads `pytorch/nvidia/sm_90` or `vendor=amd,arch=gfx942`. nullopt after an error.
std::optional<Target> readTarget(const std::string& text, SourceRange range, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::api

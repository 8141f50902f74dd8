/// The change of a misspelt name to the known one that a message suggests. Private to this component.
#pragma once

#include <algorithm>
#include <cctype>
#include <span>
#include <string>
#include <string_view>

#include "support/diagnostic.h"
#include "support/edit_distance.h"

namespace amdahlc::grammar {

/// Adds the change to what `didYouMean` says, if it says something. `range` is where the name is written; if other text
/// is written there, such as quotes, nothing is added.
inline void fixName(DiagnosticEngine::InFlight& report, SourceRange range, std::string_view name,
                    std::span<const std::string> known) {
  const auto nearest = closestName(name, known);
  const auto isPlain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.'; };
  if (nearest && range.end - range.begin == name.size() && std::all_of(nearest->begin(), nearest->end(), isPlain))
    report.fix(range, *nearest);
}

}  // namespace amdahlc::grammar

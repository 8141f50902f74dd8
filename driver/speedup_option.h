/// Parses `-speedup='sdpa=2x'` into a request.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/scenario.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::driver {

/// Reads `selector=new`. The selector is one that `ir::parseSelector` reads. The new time: `2x` (so many times as fast;
/// decimals and fractions too), `10us` (per iteration, with any unit of time), or `0`. The last `=` is the separator.
std::optional<ir::SpeedupRequest> readSpeedup(const std::string& text, SourceRange range,
                                              DiagnosticEngine& diagnostics);

/// Sets kind and selector of `request` in the same way.
bool readSelector(std::string_view text, SourceRange range, ir::SpeedupRequest& request, DiagnosticEngine& diagnostics);
/// Checks a regular expression.
bool readRegexSelector(const std::string& pattern, SourceRange range, ir::SpeedupRequest& request,
                       DiagnosticEngine& diagnostics);
/// Sets factor or fixed time of `request` from `2x`, `10us` or `0`.
bool readNewTime(std::string_view text, SourceRange range, ir::SpeedupRequest& request, DiagnosticEngine& diagnostics);
/// Sets the fixed time of `request` from `10us` or `0`.
bool readTime(std::string_view text, SourceRange range, ir::SpeedupRequest& request, DiagnosticEngine& diagnostics);
/// Sets the factor from a number: so many times as fast.
bool readTimesAsFast(std::string_view number, SourceRange range, ir::SpeedupRequest& request,
                     DiagnosticEngine& diagnostics);

}  // namespace amdahlc::driver

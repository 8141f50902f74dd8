#include "driver/speedup_option.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <string>
#include <utility>

#include "support/decimal_time.h"

namespace amdahlc::driver {
namespace {

/// Sets the new time from `10us` or `0`.
bool setTime(std::string_view text, ir::SpeedupRequest& request) {
  if (text == "0")
    request.factor = Rational::of(0);
  else if (const auto fixedNs = parseDuration(text))
    request.fixedNs = fixedNs;
  else
    return false;
  return true;
}

}  // namespace

bool readRegexSelector(const std::string& pattern, SourceRange range, ir::SpeedupRequest& request,
                       DiagnosticEngine& diagnostics) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  const re2::RE2 compiled(pattern, options);
  if (!compiled.ok()) {
    diagnostics.error(DiagId::SpeedupSyntax, range, fmt::format("invalid regular expression: {}", compiled.error()));
    return false;
  }
  request.kind = ir::SelectorKind::Regex;
  request.selector = pattern;
  return true;
}

bool readSelector(std::string_view text, SourceRange range, ir::SpeedupRequest& request,
                  DiagnosticEngine& diagnostics) {
  ir::Selector selector = ir::parseSelector(text);
  if (selector.kind == ir::SelectorKind::Regex) return readRegexSelector(selector.text, range, request, diagnostics);
  request.kind = selector.kind;
  request.selector = std::move(selector.text);
  if (!request.selector.empty() || ir::subjectOf(request.kind) == ir::SelectorSubject::Whole) return true;
  diagnostics.error(DiagId::SpeedupSyntax, range,
                    "the selector is empty; name a kernel, node, rule, category, operator type or scope");
  return false;
}

bool readTimesAsFast(std::string_view number, SourceRange range, ir::SpeedupRequest& request,
                     DiagnosticEngine& diagnostics) {
  const auto times = Rational::parse(number);
  if (times && !times->isZero()) {
    request.factor = Rational::of(times->denominator, times->numerator);
    return true;
  }
  diagnostics.error(
      DiagId::SpeedupSyntax, range,
      times ? "a speed-up of 0 would take forever; for a kernel that costs nothing give the time 0"
            : fmt::format("`{}` is not a speed-up; it takes a number above 0 such as 2, 1.5 or 3/2", number));
  return false;
}

bool readNewTime(std::string_view text, SourceRange range, ir::SpeedupRequest& request, DiagnosticEngine& diagnostics) {
  if (text.ends_with('x')) return readTimesAsFast(text.substr(0, text.size() - 1), range, request, diagnostics);
  if (setTime(text, request)) return true;
  diagnostics.error(
      DiagId::SpeedupSyntax, range,
      fmt::format("`{}` is not a new time; write `2x` (twice as fast), `10us` (a time with its unit) or `0`", text));
  return false;
}

bool readTime(std::string_view text, SourceRange range, ir::SpeedupRequest& request, DiagnosticEngine& diagnostics) {
  if (setTime(text, request)) return true;
  diagnostics.error(DiagId::SpeedupSyntax, range,
                    fmt::format("`{}` is not a time; write one with its unit, such as `10us`, or `0`", text));
  return false;
}

std::optional<ir::SpeedupRequest> readSpeedup(const std::string& text, SourceRange range,
                                              DiagnosticEngine& diagnostics) {
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos) {
    diagnostics.error(DiagId::SpeedupSyntax, range,
                      fmt::format("`{}` says no new time; write `{}=2x`, `{}=10us` or `{}=0`", text, text, text, text));
    return std::nullopt;
  }
  ir::SpeedupRequest request;
  request.range = range;
  SourceRange left = range, right = range;
  if (range.end - range.begin == text.size()) {
    left.end = range.begin + static_cast<uint32_t>(equals);
    right.begin = left.end + 1;
    request.range = left;
  }
  const bool selected = readSelector(std::string_view(text).substr(0, equals), left, request, diagnostics);
  const bool timed = readNewTime(std::string_view(text).substr(equals + 1), right, request, diagnostics);
  if (!selected || !timed) return std::nullopt;
  return request;
}

}  // namespace amdahlc::driver

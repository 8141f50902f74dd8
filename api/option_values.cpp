#include "api/option_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "replay/runtimes/runtime.h"
#include "support/case_folding.h"
#include "support/edit_distance.h"

namespace amdahlc::api {
namespace {

const std::vector<std::string> kTargetKeys = {"runtime", "vendor", "arch", "device"};

/// Reads part `key` (index into kTargetKeys); false after reporting that the value is unknown.
bool readTargetPart(Target& target, size_t key, const Piece& value, DiagnosticEngine& diagnostics) {
  if (key == 3) {
    target.device = value.text;
    return true;
  }
  const std::string text = toLower(value.text);
  std::string hint;
  if (key == 2) {
    if (!text.empty() && vendorOfArchitecture(text).empty()) hint = nearestArchitectures(text);
  } else {
    const std::vector<std::string>& known = key == 0 ? knownRuntimes() : knownVendors();
    if (!text.empty() && std::ranges::find(known, text) == known.end()) hint = didYouMeanOrKnown(text, known);
  }
  if (!hint.empty()) {
    diagnostics.error(DiagId::OptionValue, value.range,
                      fmt::format("unknown {} `{}`{}", key == 2 ? "architecture" : kTargetKeys[key], value.text, hint));
    return false;
  }
  (key == 0 ? target.runtime : key == 1 ? target.vendor : target.arch) = text;
  return true;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::vector<Piece> split(std::string_view value, SourceRange range, char separator) {
  std::vector<Piece> pieces;
  for (std::string_view rest = value;;) {
    const size_t end = rest.find(separator);
    const std::string_view part = trimmed(rest.substr(0, end));
    pieces.push_back({std::string(part), placeOf(part, value, range)});
    if (end == std::string_view::npos) return pieces;
    rest.remove_prefix(end + 1);
  }
}

std::optional<Target> readTarget(const std::string& text, SourceRange range, DiagnosticEngine& diagnostics) {
  Target target;
  bool good = true;
  if (text.find('=') == std::string::npos) {
    const std::vector<Piece> parts = split(text, range, '/');
    if (parts.size() > kTargetKeys.size()) {
      diagnostics.error(DiagId::OptionValue, range,
                        fmt::format("a target has at most 4 parts, runtime/vendor/arch/device, not {}", parts.size()));
      return std::nullopt;
    }
    for (size_t i = 0; i < parts.size(); ++i) good &= readTargetPart(target, i, parts[i], diagnostics);
  } else {
    for (const Piece& pair : split(text, range, ',')) {
      const std::vector<Piece> sides = split(pair.text, pair.range, '=');
      const auto key = std::ranges::find(kTargetKeys, sides.front().text);
      if (sides.size() != 2 || key == kTargetKeys.end()) {
        diagnostics.error(
            DiagId::OptionValue, pair.range,
            fmt::format("`{}` is not of the form `key=value` with a key of runtime, vendor, arch, device{}", pair.text,
                        didYouMean(sides.front().text, kTargetKeys)));
        good = false;
        continue;
      }
      good &= readTargetPart(target, static_cast<size_t>(key - kTargetKeys.begin()), sides[1], diagnostics);
    }
  }
  if (const std::string_view vendor = vendorOfArchitecture(target.arch);
      good && !target.vendor.empty() && !vendor.empty() && vendor != target.vendor) {
    diagnostics.error(
        DiagId::OptionValue, range,
        fmt::format("the architecture `{}` is of the vendor `{}`, not `{}`", target.arch, vendor, target.vendor));
    good = false;
  }
  if (!good) return std::nullopt;
  return target;
}

}  // namespace amdahlc::api

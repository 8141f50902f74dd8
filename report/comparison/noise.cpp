#include "report/comparison/noise.h"

#include <fmt/format.h>

#include <algorithm>

namespace amdahlc::comparison {

// In the order of the enumerators.

std::string_view name(Change change) {
  static constexpr std::string_view kNames[] = {"within-noise", "faster", "slower", "noise-unknown", ""};
  return kNames[static_cast<size_t>(change)];
}

std::string_view mark(Change change) {
  static constexpr std::string_view kMarks[] = {"~", "", "", "?", ""};
  return kMarks[static_cast<size_t>(change)];
}

Judgement judge(const std::optional<MeasuredTime>& before, const std::optional<MeasuredTime>& after) {
  const auto interval = before && after ? welchInterval(*before, *after) : std::nullopt;
  if (!interval) return {};
  if (interval->contains(0)) return {Change::WithinNoise, interval};
  return {after->meanNs > before->meanNs ? Change::Slower : Change::Faster, interval};
}

std::string legendOf(const std::vector<Change>& shown, std::string_view before) {
  const auto isShown = [&](Change change) { return std::ranges::find(shown, change) != shown.end(); };
  std::string text;
  if (isShown(Change::WithinNoise))
    text += fmt::format("  {}: within noise{}: the 95 % Welch interval of the difference contains 0\n",
                        mark(Change::WithinNoise), before);
  if (isShown(Change::NoiseUnknown)) text += fmt::format("  {}: {}\n", mark(Change::NoiseUnknown), kNoiseUnknown);
  return text;
}

}  // namespace amdahlc::comparison

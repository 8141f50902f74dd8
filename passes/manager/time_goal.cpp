#include "passes/manager/time_goal.h"

#include "support/decimal_time.h"

namespace amdahlc {

std::optional<TimeGoal> parseTimeGoal(std::string_view text) {
  if (text.ends_with('x')) {
    const auto times = Rational::parse(text.substr(0, text.size() - 1));
    return times && !times->isZero() ? std::optional<TimeGoal>({std::nullopt, times}) : std::nullopt;
  }
  const auto ns = text == "0" ? std::optional<int64_t>(0) : parseDuration(text);
  return ns && *ns >= 0 ? std::optional<TimeGoal>({ns, std::nullopt}) : std::nullopt;
}

}  // namespace amdahlc

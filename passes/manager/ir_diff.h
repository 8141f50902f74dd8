/// The difference of two dumps of the IR, for `-print-changed=diff`.
#pragma once

#include <string>
#include <string_view>

namespace amdahlc {

/// What changed from `before` to `after`, as hunks of a unified diff with three lines around each change; a line that
/// says why there are none if the changed part has more than `limits::kDiffedLines` lines on both sides, or if
/// they differ in too many places.
std::string unifiedDiff(std::string_view before, std::string_view after);

}  // namespace amdahlc

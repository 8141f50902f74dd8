/// How long calls of a kind take in a run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "replay/schedule/run_calls.h"

namespace amdahlc::schedule {

/// The median length of the calls that the predicate accepts; nullopt without any.
std::optional<int64_t> medianLengthNs(const RunCalls& calls, const std::function<bool(const Call&)>& accepts);

}  // namespace amdahlc::schedule

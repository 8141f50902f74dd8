/// The limits on inputs, as constants: `limits::kModelBytes`. The list is limits.def.
#pragma once

#include <cstdint>

namespace amdahlc::limits {

#define AMDAHLC_LIMIT(name, value, what, effect, words) inline constexpr int64_t k##name = value;
#include "support/limits.def"
#undef AMDAHLC_LIMIT

}  // namespace amdahlc::limits

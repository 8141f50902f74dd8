/// What a written trace states of the run as a whole, because its events do not tell.
#pragma once

#include <string>
#include <string_view>

#include "runs/builder/excerpt.h"

namespace amdahlc::trace {

/// The top-level key of it.
inline constexpr std::string_view kExcerptKey = "amdahlc";
/// Among the arguments of device work, and of an operator whose place in time does not tell it: a position in
/// `Excerpt::iterations`.
inline constexpr std::string_view kIterationArgument = "amdahlc iteration";
/// Among the arguments of an operator: `OperatorFacts::node`.
inline constexpr std::string_view kNodeArgument = "amdahlc node";
/// The category of events that are no events of the run. Readers leave them out.
inline constexpr std::string_view kAnnotationCategory = "amdahlc";

/// The value of `kExcerptKey`.
std::string writeStatement(const Excerpt& excerpt);

/// Reads it. Throws std::runtime_error, which says what is wrong with it.
Excerpt readExcerpt(std::string_view json);

}  // namespace amdahlc::trace

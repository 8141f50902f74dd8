/// Excerpts in the layout of Kineto: what such a file has beyond a recording of Kineto's.
#pragma once

#include <string>
#include <string_view>

#include "timeline/excerpt.h"

namespace amdahlc::trace {

/// The top-level key of what the excerpt states of the whole trace.
inline constexpr std::string_view kExcerptKey = "amdahlc";
/// Among the arguments of device work, and of an operator whose place in time does not tell it: a position in
/// `Excerpt::iterations`.
inline constexpr std::string_view kIterationArgument = "amdahlc iteration";
/// Among the arguments of an operator: `OperatorFacts::node`.
inline constexpr std::string_view kNodeArgument = "amdahlc node";

/// The selected iterations of the run as a trace in Kineto's layout. Times are those of the run. Names of Python frames
/// lose the folders of their files; nothing that tells of the machine is written but the device's name. The run must
/// have an excerpt (`whyNoExcerpt`).
std::string writeExcerpt(const Timeline& timeline);

/// Reads the value of `kExcerptKey`. Throws std::runtime_error, which says what is wrong with it.
Excerpt readExcerpt(std::string_view json);

}  // namespace amdahlc::trace

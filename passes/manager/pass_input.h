/// What passes need that no other pass establishes.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

namespace amdahlc {

enum class PassInput : uint8_t {
  /// Always there: the shipped rules of the target's runtime, where no others are asked for.
  Rules,
  Trace,
  Speedups,
};
using PassInputs = std::set<PassInput>;

/// How messages speak of an input.
struct PassInputText {
  /// `a trace`
  std::string_view needed;
  /// `` give one with `-trace=` ``
  std::string_view hint;
  /// `the trace is not used`
  std::string_view unused;
};
const PassInputText& textOf(PassInput input);

}  // namespace amdahlc

/// Inputs that passes need and no pass establishes.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

namespace amdahlc {

enum class PassInput : uint8_t {
  /// Always given: by default, the shipped rules of the target's runtime.
  Rules,
  Trace,
  /// Read with a trace; IR text has none (`Timeline::host`).
  HostEvents,
  Speedups,
  /// Given by the user, or with a run or a target that may name its device: then it is a shipped one.
  Hardware,
};
using PassInputs = std::set<PassInput>;

/// Texts about an input for messages.
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

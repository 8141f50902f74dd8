#include "passes/manager/pass_input.h"

#include <stdexcept>

namespace amdahlc {

const PassInputText& textOf(PassInput input) {
  static constexpr PassInputText kRules{"rules", "give them with `-rules=`", "the rules are not used"};
  static constexpr PassInputText kTrace{"a trace", "give one with `-trace=`", "the trace is not used"};
  static constexpr PassInputText kHostEvents{
      "host events", "give the trace with `-trace=`, because IR text does not contain them", "the trace is not used"};
  static constexpr PassInputText kSpeedups{"a planned speed-up", "give one with `-what-if=`",
                                           "the planned speed-ups are not used"};
  static constexpr PassInputText kHardware{"a description of the hardware",
                                           "give one with `-hardware=`, or a trace that names its device",
                                           "the description of the hardware is not used"};
  switch (input) {
    case PassInput::Rules:
      return kRules;
    case PassInput::Trace:
      return kTrace;
    case PassInput::HostEvents:
      return kHostEvents;
    case PassInput::Speedups:
      return kSpeedups;
    case PassInput::Hardware:
      return kHardware;
  }
  throw std::logic_error("unknown pass input");
}

}  // namespace amdahlc

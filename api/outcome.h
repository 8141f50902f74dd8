/// How a step of an analysis ends.
#pragma once

namespace amdahlc::api {

/// The values are the exit codes of the command. The worse of two is the larger.
enum class Outcome : int {
  Done = 0,
  /// Model, trace, rules, pipeline text, speed-ups, configuration, or a file that cannot be read or written.
  InputFault = 1,
  /// The request is invalid or contradicts itself.
  RequestFault = 2,
  /// The analysis is complete, but a condition that the request demands does not hold.
  GateFailed = 3,
};

}  // namespace amdahlc::api

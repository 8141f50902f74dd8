/// The names of a run's constants in reports.
#pragma once

#include <string_view>

#include "replay/schedule/constants.h"

namespace amdahlc {

constexpr std::string_view constantName(schedule::Constant::Kind kind) {
  switch (kind) {
    case schedule::Constant::Kind::LaunchLatency:
      return "launch-latency";
    case schedule::Constant::Kind::InsideLatency:
      return "latency-inside-call";
    case schedule::Constant::Kind::TurnAround:
      return "turn-around";
    case schedule::Constant::Kind::GraphTurnAround:
      return "graph-turn-around";
    case schedule::Constant::Kind::EventToEvent:
      return "event-to-event";
  }
  return {};
}

}  // namespace amdahlc

/// One event of an ONNX Runtime profile as text and numbers, not yet interpreted. Internal to the readers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "replay/timeline/timeline.h"
#include "runs/trace/json_cursor.h"

namespace amdahlc::trace {

/// Views are of the cursor's text, with escapes as they are.
struct OnnxRuntimeEvent {
  std::string_view phase, category, name;
  std::string_view process, thread;
  std::optional<int64_t> startNs, durationNs;
  /// Of a node: the operator's type without its domain, and who ran it (`CPUExecutionProvider`).
  std::string_view operatorType, provider;
  /// Of a kernel: the name of the node's event, and the stream.
  std::string_view parentName, stream;
  std::optional<LaunchFacts> launch;
  /// The operands; dimensions and types only.
  OperatorFacts op;
  bool hasLongShapes = false;
};

/// False if the text is damaged. Throws InvalidValue if a time is not a number.
bool readOnnxRuntimeEvent(JsonCursor& cursor, OnnxRuntimeEvent& event);

}  // namespace amdahlc::trace

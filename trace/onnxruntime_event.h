/// One event of an ONNX Runtime profile as text and numbers, not yet interpreted. Internal to the readers.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>

#include "timeline/timeline.h"

namespace amdahlc::trace {

/// Views are valid as long as the document's parser and text.
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
};

/// Throws simdjson_error if the text is damaged, and InvalidValue if a time is not a number.
OnnxRuntimeEvent readOnnxRuntimeEvent(simdjson::ondemand::object object);

/// ONNX Runtime before 1.32 writes names between quotes as they are. Escapes the quotes, backslashes and control
/// characters of such names, so that the text is JSON, and returns their number. Names that are escaped are left
/// alone, and so are texts of other programs, which have other blanks between the tokens.
size_t escapeNames(std::string& text);

}  // namespace amdahlc::trace

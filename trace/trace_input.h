/// The text of a trace, ready for the readers, and diagnostics for damaged JSON. Internal to the readers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"

namespace amdahlc::trace {

/// The text of one file. `text` has simdjson's padding reserved behind it, which `padded` establishes.
struct TraceInput {
  std::string text;
  std::string file;

  static TraceInput padded(std::string text, std::string file);
  TraceLocation at(uint64_t byteOffset) const { return {file, byteOffset, std::nullopt}; }
  /// The offset of a pointer into `text`; its end for any other pointer.
  uint64_t offsetOf(const char* place) const;
};

/// Reports `trace-syntax` at the first damaged byte of JSON. simdjson reports most damage without a position, so this
/// parses the text again. `what` and `fallbackOffset` are used if the slower parser finds no error.
void reportJsonDamage(const TraceInput& input, std::string_view what, uint64_t fallbackOffset,
                      DiagnosticEngine& diagnostics);

}  // namespace amdahlc::trace

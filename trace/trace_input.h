/// The text of a trace, ready for the readers, what a glance at JSON shows, and diagnostics for damaged JSON. Internal
/// to the readers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"

namespace amdahlc::trace {

/// The top of a JSON document: enough to distinguish the formats of profilers.
struct JsonSketch {
  bool isArray = false;
  /// Of the top-level object, or of an array's first element when that is an object; the first 64.
  std::vector<std::string> keys;
  /// `cat` of an array's first element.
  std::string firstCategory;
  bool has(std::string_view key) const;
};

/// The text of one file. `text` has simdjson's padding reserved behind it, which `padded` establishes.
struct TraceInput {
  std::string text;
  std::string file;
  /// nullopt if the text is not JSON.
  std::optional<JsonSketch> json = std::nullopt;

  static TraceInput padded(std::string text, std::string file);
  TraceLocation at(uint64_t byteOffset) const { return {file, byteOffset, std::nullopt}; }
  /// The offset of a pointer into `text`; its end for any other pointer.
  uint64_t offsetOf(const char* place) const;
};

/// Reports `trace-syntax` and returns nullopt if the text is not JSON.
std::optional<JsonSketch> sketchJson(const TraceInput& input, DiagnosticEngine& diagnostics);

/// Reports `trace-syntax` at the first damaged byte of JSON. simdjson reports most damage without a position, so this
/// parses the text again. `what` and `fallbackOffset` are used if the slower parser finds no error.
void reportJsonDamage(const TraceInput& input, std::string_view what, uint64_t fallbackOffset,
                      DiagnosticEngine& diagnostics);

}  // namespace amdahlc::trace

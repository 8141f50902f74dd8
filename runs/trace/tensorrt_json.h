/// The JSON of TensorRT's trtexec, which is not always JSON. Internal to the reader.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "support/diagnostic.h"

namespace amdahlc::trace {

/// The text of one file.
struct TensorRtText {
  std::string text;
  std::string file;

  /// Blanks replace a byte order mark, so that offsets stay.
  static TensorRtText of(std::string text, std::string file);
  TraceLocation at(uint64_t byteOffset) const { return {file, byteOffset, std::nullopt}; }
  /// Reports `trace-syntax` at the first damaged byte.
  void reportDamage(DiagnosticEngine& diagnostics) const;
};

/// A member of an object: text, or the text of a number. Values of other kinds are left out.
struct TensorRtValue {
  std::string text;
  bool isNumber = false;
};
using TensorRtObject = std::map<std::string, TensorRtValue, std::less<>>;

/// trtexec writes names as they are, so that a quote or a backslash in a name makes other JSON or none. It writes one
/// layer per line in a fixed form. The names of such lines are escaped; other text stays as it is. The result is the
/// number of names that are changed by it.
int64_t escapeNames(std::string& profile);

/// Separators U+001E and U+001F, which may not stand in JSON as they are, are escaped.
void escapeSeparators(std::string& layers);

/// Calls `visit` with each element of the top-level array; with none for an element that is no object. Reports
/// `trace-syntax` for damaged JSON and returns false.
bool readElements(const TensorRtText& input, const std::function<void(const TensorRtObject*)>& visit,
                  DiagnosticEngine& diagnostics);

}  // namespace amdahlc::trace

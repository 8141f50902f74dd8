/// One event of a chrome trace as text and numbers, not yet interpreted. Internal to the readers.
#pragma once

#include <simdjson.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "timeline/timeline.h"

namespace amdahlc::trace {

/// A value that is valid JSON but not a valid trace. `place` points into the text.
struct InvalidValue : std::runtime_error {
  InvalidValue(const std::string& what, const char* where) : std::runtime_error(what), place(where) {}
  const char* place;
};

/// Views are valid as long as the document's parser and text. Numbers are kept as text, because a double stores an
/// absolute time only to 0.25 us.
struct ChromeEvent {
  std::string_view phase, category, name;
  std::string_view process, thread;
  std::optional<int64_t> startNs, durationNs;
  /// `args.name` of a metadata event.
  std::string_view argumentName;
  int64_t correlation = -1;
  /// `Ev Idx`.
  int64_t recordIndex = -1;
  int64_t pythonId = -1;
  std::optional<LaunchFacts> launch;
  std::optional<OperatorFacts> op;
};

/// Throws simdjson_error if the text is damaged, and InvalidValue if a time is not a number.
ChromeEvent readChromeEvent(simdjson::ondemand::object object);

/// The text of a number or a string, unquoted; empty for other values.
std::string_view scalarText(simdjson::ondemand::value value);

/// The integer value of a number or of a string; -1 for other values.
int64_t integerOr(simdjson::ondemand::value value);

}  // namespace amdahlc::trace

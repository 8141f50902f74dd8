/// One event of a chrome trace as text and numbers, before it means anything. Internal to the readers.
#pragma once

#include <simdjson.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "timeline/timeline.h"

namespace amdahlc::trace {

/// A value that is JSON and makes no sense; `place` points into the text.
struct InvalidValue : std::runtime_error {
  InvalidValue(const std::string& what, const char* where) : std::runtime_error(what), place(where) {}
  const char* place;
};

/// Views live as long as the document's parser and text. Numbers are kept as text: a double holds an absolute time only
/// to 0.25 us.
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

/// Throws simdjson_error where the text is damaged and InvalidValue where a time is not a number.
ChromeEvent readChromeEvent(simdjson::ondemand::object object);

/// The text of a number or a string, unquoted; empty for anything else.
std::string_view scalarText(simdjson::ondemand::value value);

/// The integer of a number or of a string that holds one; -1 for anything else.
int64_t integerOr(simdjson::ondemand::value value);

}  // namespace amdahlc::trace

/// One event of a chrome trace as text and numbers, not yet interpreted. Internal to the readers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "replay/timeline/timeline.h"
#include "runs/trace/json_cursor.h"

namespace amdahlc::trace {

/// What an event states of an operation between ranks.
struct ChromeCollective {
  std::string_view operation, group, groupRanks;
  int64_t groupSize = -1, sequence = -1;
};

/// What an allocator recorded; -1 for what an event does not state.
struct ChromeMemory {
  /// PyTorch's number of the kind of device: 0 is the host.
  int64_t deviceType = -1;
  int64_t device = -1;
  int64_t allocatedBytes = -1, reservedBytes = -1;
};

/// Views are of the cursor's text, with escapes as they are. Numbers that matter exactly are read as decimal text,
/// because a double stores an absolute time only to 0.25 us.
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
  int64_t sequenceNumber = -1;
  /// Of an excerpt.
  int64_t iteration = -1;
  std::optional<LaunchFacts> launch;
  /// Of device work, and of waits.
  WaitFacts wait;
  /// Of an operator, as JSON; empty if there are none.
  std::string_view inputDims, inputTypes;
  /// One of the two is longer than the limit, and left out.
  bool hasLongShapes = false;
  std::optional<ChromeCollective> collective;
  ChromeMemory memory;
  /// Of an excerpt: the node of an operator.
  std::string_view node;
};

/// Shapes or types of operands, as JSON. A text beyond the limit is empty, and `isTooLong` is set. False if the text is
/// damaged.
bool readOperandText(JsonCursor& cursor, std::string_view& text, bool& isTooLong);

inline constexpr std::string_view kLongShapes =
    "operators have longer shapes or types than the limit; they are unknown";

/// A time in microseconds, as `ts` and `dur` are. False if the text is damaged. Throws InvalidValue if it is no number.
bool readMicroseconds(std::string_view key, JsonCursor& cursor, std::optional<int64_t>& ns);

/// False if the text is damaged. Throws InvalidValue if a time is not a number.
bool readChromeEvent(JsonCursor& cursor, ChromeEvent& event);

/// The facts of an operator, from the JSON of `inputDims` and `inputTypes`: `[[1,512],[],[[2,3],[4]]]` has one entry
/// for each argument, except that a list of tensors gives one for each tensor. False if the text is damaged, or, which
/// sets `isTooLong`, if the types of all tensors are longer than the limit.
bool readOperatorFacts(std::string_view inputDims, std::string_view inputTypes, OperatorFacts& facts, bool& isTooLong);

}  // namespace amdahlc::trace

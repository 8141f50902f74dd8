/// One event of a chrome trace as text and numbers, not yet interpreted. Internal to the readers.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "runs/builder/builder.h"
#include "runs/files/json_cursor.h"

namespace amdahlc::trace {

/// What an allocator recorded; -1 for what an event does not state.
struct ChromeMemory {
  /// PyTorch's number of the kind of device: 0 is the host.
  int64_t deviceType = -1;
  int64_t device = -1;
  int64_t allocatedBytes = -1, reservedBytes = -1;
  int64_t address = -1;
  /// Given, or, negative, taken back; 0 if it is not stated.
  int64_t bytes = 0;
};

/// What an event of any writer has. Views are of the cursor's text, with escapes as they are. Numbers that matter
/// exactly are read as decimal text, because a double stores an absolute time only to 0.25 us.
struct EventHead {
  std::string_view phase, category, name;
  std::string_view process, thread;
  std::optional<int64_t> startNs, durationNs;
  std::optional<LaunchFacts> launch;
  /// The shapes or types of an operator are longer than the limit, and left out.
  bool hasLongShapes = false;
};

/// An event of Kineto.
struct ChromeEvent : EventHead {
  /// `args.name` of a metadata event.
  std::string_view argumentName;
  int64_t correlation = -1;
  /// `Ev Idx`.
  int64_t recordIndex = -1;
  int64_t pythonId = -1;
  int64_t sequenceNumber = -1;
  /// `Record function id`.
  int64_t recordFunction = -1;
  /// `Fwd thread id`
  int64_t forwardThread = 0;
  /// Of an excerpt.
  int64_t iteration = -1;
  /// Of a call that launches: the kernel and the stream, where stated.
  std::string_view kernel, stream;
  /// Of device work, and of waits.
  WaitFacts wait;
  /// Of an operator, as JSON; empty if there are none.
  std::string_view inputDims, inputTypes, inputValues, inputStrides;
  /// What it states of an operation between ranks.
  std::optional<RawCollective> collective;
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

/// Comparisons with a text of known length are one or two instructions, and `==` is two calls.
template <size_t kSize>
bool is(std::string_view key, const char (&text)[kSize]) {
  return key.size() == kSize - 1 && std::memcmp(key.data(), text, kSize - 1) == 0;
}

/// Reads an event whose arguments, an object, `readArguments` reads. False if the text is damaged. Throws InvalidValue
/// if a time is not a number.
template <typename ReadArguments>
bool readEvent(JsonCursor& cursor, EventHead& event, const ReadArguments& readArguments) {
  return cursor.object([&](std::string_view key) {
    switch (key.size()) {
      case 2:
        if (is(key, "ph")) return readText(cursor, event.phase);
        if (is(key, "ts")) return readMicroseconds(key, cursor, event.startNs);
        break;
      case 3:
        if (is(key, "cat")) return readText(cursor, event.category);
        if (is(key, "pid")) return readText(cursor, event.process);
        if (is(key, "tid")) return readText(cursor, event.thread);
        if (is(key, "dur")) return readMicroseconds(key, cursor, event.durationNs);
        break;
      case 4:
        if (is(key, "name")) return readText(cursor, event.name);
        if (is(key, "args") && cursor.peek() == '{') return readArguments();
        break;
      default:
        break;
    }
    return cursor.skip();
  });
}

/// The same of Kineto.
bool readChromeEvent(JsonCursor& cursor, ChromeEvent& event);

/// The facts of an operator, from the JSON of its shapes, types and values: `[[1,512],[],[[2,3],[4]]]` has one entry
/// for each argument, except that a list of tensors gives one for each tensor. False if the text is damaged, or, which
/// sets `isTooLong`, if the types of all tensors are longer than the limit.
bool readOperatorFacts(const ChromeEvent& event, OperatorFacts& facts, bool& isTooLong);

}  // namespace amdahlc::trace

#include "runs/trace/chrome_event.h"

#include <fmt/format.h>

#include <string>

#include "replay/timeline/tensor_layout.h"
#include "runs/trace/event_stream.h"
#include "runs/trace/kineto.h"
#include "support/decimal_time.h"

namespace amdahlc::trace {
namespace {

static_assert(kNodeArgument.size() == 12 && kIterationArgument.size() == 17);

// The unit of `ts` and `dur`, independent of `displayTimeUnit`.
constexpr int64_t kMicrosecondNs = 1000;

bool readTriple(JsonCursor& cursor, int64_t (&out)[3]) {
  if (cursor.peek() != '[') return cursor.skip();
  size_t at = 0;
  return cursor.array([&] {
    int64_t number = -1;
    if (!readInteger(cursor, number)) return false;
    if (at < 3) out[at++] = number;
    return true;
  });
}

bool readArguments(JsonCursor& cursor, ChromeEvent& event) {
  const auto operands = [&](std::string_view& text) { return readOperandText(cursor, text, event.hasLongShapes); };
  const auto launch = [&]() -> LaunchFacts& { return event.launch ? *event.launch : event.launch.emplace(); };
  const auto collective = [&]() -> RawCollective& {
    return event.collective ? *event.collective : event.collective.emplace();
  };
  return cursor.object([&](std::string_view key) {
    // The first letter and the length tell most of the many keys that are not read.
    switch (key.size()) {
      case 3:
        if (is(key, "Seq")) return readInteger(cursor, collective().sequence);
        break;
      case 4:
        if (is(key, "grid")) return readTriple(cursor, launch().grid);
        if (is(key, "name")) return readText(cursor, event.argumentName);
        if (is(key, "Addr")) return readInteger(cursor, event.memory.address);
        break;
      case 5:
        if (is(key, "block")) return readTriple(cursor, launch().block);
        if (is(key, "bytes")) return readInteger(cursor, launch().bytes);
        if (is(key, "Bytes")) return readInteger(cursor, event.memory.bytes);
        break;
      case 6:
        if (is(key, "Ev Idx")) return readInteger(cursor, event.recordIndex);
        if (is(key, "stream")) {
          if (!readText(cursor, event.stream)) return false;
          event.wait.stream = parseWhole(event.stream).value_or(-1);
          return true;
        }
        if (is(key, "kernel")) return readText(cursor, event.kernel);
        break;
      case 9:
        if (is(key, "Python id")) return readInteger(cursor, event.pythonId);
        if (is(key, "Device Id")) return readInteger(cursor, event.memory.device);
        break;
      case 10:
        if (is(key, "Input Dims") || is(key, "Input dims")) return operands(event.inputDims);
        if (is(key, "Group size")) return readInteger(cursor, collective().groupSize);
        if (is(key, "Input type")) return operands(event.inputTypes);
        break;
      case 11:
        if (is(key, "correlation")) return readInteger(cursor, event.correlation);
        if (is(key, "Input Types")) return operands(event.inputTypes);
        if (is(key, "Device Type")) return readInteger(cursor, event.memory.deviceType);
        break;
      case 12:
        if (key == kNodeArgument) return readText(cursor, event.node);
        break;
      case 13:
        if (is(key, "shared memory")) return readInteger(cursor, launch().sharedMemoryBytes);
        if (is(key, "Fwd thread id")) return readInteger(cursor, event.forwardThread);
        if (is(key, "Input Strides")) {
          // Without strides that are too long, shapes and types are still known.
          bool isTooLong = false;
          return readOperandText(cursor, event.inputStrides, isTooLong);
        }
        break;
      case 14:
        if (is(key, "wait_on_stream")) return readInteger(cursor, event.wait.sourceStream);
        if (is(key, "Total Reserved")) return readInteger(cursor, event.memory.reservedBytes);
        break;
      case 15:
        if (is(key, "Sequence number")) return readInteger(cursor, event.sequenceNumber);
        if (is(key, "Collective name")) return readText(cursor, collective().operation);
        if (is(key, "Concrete Inputs")) return operands(event.inputValues);
        if (is(key, "Total Allocated")) return readInteger(cursor, event.memory.allocatedBytes);
        break;
      case 17:
        if (key == kIterationArgument) return readInteger(cursor, event.iteration);
        break;
      case 18:
        if (is(key, "Process Group Name")) return readText(cursor, collective().group);
        if (is(key, "Record function id")) return readInteger(cursor, event.recordFunction);
        break;
      case 19:
        if (is(key, "Process Group Ranks")) return readText(cursor, collective().groupRanks);
        break;
      case 20:
        if (is(key, "registers per thread")) return readInteger(cursor, launch().registers);
        break;
      case 33:
        if (is(key, "wait_on_cuda_event_record_corr_id")) return readInteger(cursor, event.wait.recordCorrelation);
        break;
      default:
        break;
    }
    return cursor.skip();
  });
}

}  // namespace

bool readOperandText(JsonCursor& cursor, std::string_view& text, bool& isTooLong) {
  if (!cursor.raw(text)) return false;
  if (text.size() <= static_cast<size_t>(limits::kOperandTextBytes)) return true;
  text = {};
  isTooLong = true;
  return true;
}

bool readMicroseconds(std::string_view key, JsonCursor& cursor, std::optional<int64_t>& ns) {
  const char* const place = cursor.place();
  std::string_view text;
  if (!cursor.scalar(text)) {
    if (cursor.peek() != '[' && cursor.peek() != '{') return false;
    JsonCursor whole = cursor;
    if (!whole.skip()) {
      cursor = whole;
      return false;
    }
    text = {place, 1};
  } else if (text == "null") {
    return true;
  }
  if (cursor.atEnd()) return false;  // the number may be cut off
  ns = parseDecimalNs(text, kMicrosecondNs);
  if (!ns)
    throw InvalidValue(fmt::format("`{}` is `{}`, which is not a time in microseconds", key, text.substr(0, 40)),
                       place);
  return true;
}

bool readChromeEvent(JsonCursor& cursor, ChromeEvent& event) {
  return readEvent(cursor, event, [&] { return readArguments(cursor, event); });
}

bool readOperatorFacts(const ChromeEvent& event, OperatorFacts& facts, bool& isTooLong) {
  // Alone, because the first stage needs the text of a document.
  JsonIndexer indexer;
  const auto walk = [&](std::string_view json, auto&& read) {
    const std::string text(json);
    if (indexer.index(text.data(), text.size()) != JsonText::Valid) return false;
    JsonCursor cursor = indexer.cursor(text.data());
    return cursor.peek() != '[' || read(cursor);
  };
  // A list of tensors has several shapes.
  const auto readShapes = [&](std::string_view json, std::vector<std::vector<int64_t>>& shapes,
                              std::vector<size_t>& tensorsOfArgument) {
    return walk(json, [&](JsonCursor& cursor) {
      return cursor.array([&] {
        std::vector<int64_t> argument;
        size_t tensors = 0;
        const auto readList = [&] {
          return cursor.array([&] {
            if (cursor.peek() == '[') {
              std::vector<int64_t>& tensor = shapes.emplace_back();
              ++tensors;
              return cursor.array([&] { return readInteger(cursor, tensor.emplace_back()); });
            }
            return readInteger(cursor, argument.emplace_back());
          });
        };
        if (cursor.peek() == '[' ? !readList() : !cursor.skip()) return false;
        if (tensors == 0) {
          shapes.push_back(std::move(argument));
          tensors = 1;
        }
        tensorsOfArgument.push_back(tensors);
        return true;
      });
    });
  };
  std::vector<size_t> tensorsOfArgument;
  if (!readShapes(event.inputDims, facts.inputDims, tensorsOfArgument)) return false;
  if (!event.inputStrides.empty()) {
    std::vector<std::vector<int64_t>> strides;
    std::vector<size_t> tensors;
    if (!readShapes(event.inputStrides, strides, tensors)) return false;
    facts.strides = compactStrides(facts.inputDims, std::move(strides));
  }
  // A list of tensors has one type and one value. All columns get one entry per tensor.
  const auto readTexts = [&](std::string_view json, std::vector<std::string>& into) {
    size_t argument = 0, bytes = 0;
    return walk(json, [&](JsonCursor& cursor) {
      return cursor.array([&] {
        std::string_view text;
        if (!readText(cursor, text)) return false;
        const size_t tensors = argument < tensorsOfArgument.size() ? tensorsOfArgument[argument] : 1;
        bytes += tensors * text.size();
        isTooLong = bytes > static_cast<size_t>(limits::kOperandTextBytes);
        if (isTooLong) return false;
        into.insert(into.end(), tensors, unescapedJson(text));
        ++argument;
        return true;
      });
    });
  };
  return readTexts(event.inputTypes, facts.inputTypes) &&
         (event.inputValues.empty() || readTexts(event.inputValues, facts.values));
}

}  // namespace amdahlc::trace

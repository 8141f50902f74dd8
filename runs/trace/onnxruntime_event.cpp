#include "runs/trace/onnxruntime_event.h"

#include <algorithm>
#include <utility>

#include "runs/trace/chrome_event.h"

namespace amdahlc::trace {
namespace {

/// `[{"float":[1,576]},{"int64":[]}]`: one entry for each operand.
bool readOperands(JsonCursor& cursor, OnnxRuntimeEvent& event) {
  JsonCursor behind = cursor;
  std::string_view text;
  if (!readOperandText(behind, text, event.hasLongShapes)) return false;
  if (event.hasLongShapes) {
    cursor = behind;
    return true;
  }
  OperatorFacts& op = event.op;
  if (cursor.peek() != '[') return cursor.skip();
  return cursor.array([&] {
    if (cursor.peek() != '{') return cursor.skip();
    return cursor.object([&](std::string_view type) {
      op.inputTypes.push_back(unescapedJson(type));
      std::vector<int64_t>& dims = op.inputDims.emplace_back();
      if (cursor.peek() != '[') return cursor.skip();
      return cursor.array([&] { return readInteger(cursor, dims.emplace_back()); });
    });
  });
}

/// The place for an argument that is a fact of a launch; null for another key.
int64_t* launchFact(std::string_view key, LaunchFacts& launch) {
  const std::pair<std::string_view, int64_t*> facts[] = {
      {"grid_x", &launch.grid[0]},   {"grid_y", &launch.grid[1]},   {"grid_z", &launch.grid[2]},
      {"block_x", &launch.block[0]}, {"block_y", &launch.block[1]}, {"block_z", &launch.block[2]},
  };
  const auto* found =
      std::find_if(std::begin(facts), std::end(facts), [&](const auto& row) { return row.first == key; });
  return found == std::end(facts) ? nullptr : found->second;
}

bool readArguments(JsonCursor& cursor, OnnxRuntimeEvent& event) {
  LaunchFacts launch;
  return cursor.object([&](std::string_view key) {
    if (key == "op_name") return readText(cursor, event.operatorType);
    if (key == "provider") return readText(cursor, event.provider);
    if (key == "parent_name") return readText(cursor, event.parentName);
    if (key == "stream") return readText(cursor, event.stream);
    if (key == "input_type_shape") return readOperands(cursor, event);
    int64_t* const fact = launchFact(key, launch);
    if (fact == nullptr) return cursor.skip();
    if (!readInteger(cursor, *fact)) return false;
    event.launch = launch;
    return true;
  });
}

}  // namespace

bool readOnnxRuntimeEvent(JsonCursor& cursor, OnnxRuntimeEvent& event) {
  return cursor.object([&](std::string_view key) {
    if (key == "ph") return readText(cursor, event.phase);
    if (key == "cat") return readText(cursor, event.category);
    if (key == "name") return readText(cursor, event.name);
    if (key == "pid") return readText(cursor, event.process);
    if (key == "tid") return readText(cursor, event.thread);
    if (key == "ts") return readMicroseconds(key, cursor, event.startNs);
    if (key == "dur") return readMicroseconds(key, cursor, event.durationNs);
    if (key == "args" && cursor.peek() == '{') return readArguments(cursor, event);
    return cursor.skip();
  });
}

}  // namespace amdahlc::trace

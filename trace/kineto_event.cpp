#include "trace/kineto_event.h"

#include <fmt/format.h>

#include <charconv>

#include "support/decimal_time.h"

namespace amdahlc::trace {
namespace {

namespace ondemand = simdjson::ondemand;

// The unit of `ts` and `dur`, independent of `displayTimeUnit`.
constexpr int64_t kMicrosecondNs = 1000;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n' || text.back() == '\r' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

std::optional<int64_t> readTimeNs(std::string_view key, ondemand::value value) {
  const std::string_view token = trimmed(value.raw_json_token());
  if (token == "null") return std::nullopt;
  if (const auto ns = parseDecimalNs(scalarText(value), kMicrosecondNs)) return ns;
  throw InvalidValue(fmt::format("`{}` is `{}`, which is not a time in microseconds", key, token.substr(0, 40)),
                     token.data());
}

void readTriple(ondemand::value value, int64_t (&out)[3]) {
  if (value.type() != ondemand::json_type::array) return;
  size_t at = 0;
  for (ondemand::value element : value.get_array()) {
    const int64_t number = integerOr(element);
    if (at < 3) out[at++] = number;
  }
}

/// `[[1,512],[],[[2,3],[4]]]`: one entry for each argument, except that a list of tensors gives one for each tensor.
/// `tensorsOfArgument` receives the number of entries of each argument.
std::vector<std::vector<int64_t>> readDims(ondemand::value value, std::vector<size_t>& tensorsOfArgument) {
  std::vector<std::vector<int64_t>> out;
  if (value.type() != ondemand::json_type::array) return out;
  for (ondemand::value argument : value.get_array()) {
    std::vector<int64_t> dims;
    size_t tensors = 0;
    if (argument.type() == ondemand::json_type::array) {
      for (ondemand::value element : argument.get_array()) {
        if (element.type() != ondemand::json_type::array) {
          dims.push_back(integerOr(element));
          continue;
        }
        std::vector<int64_t> tensor;
        for (ondemand::value dim : element.get_array()) tensor.push_back(integerOr(dim));
        out.push_back(std::move(tensor));
        ++tensors;
      }
    }
    if (tensors == 0) {
      out.push_back(std::move(dims));
      tensors = 1;
    }
    tensorsOfArgument.push_back(tensors);
  }
  return out;
}

std::vector<std::string> readTypes(ondemand::value value) {
  std::vector<std::string> out;
  if (value.type() != ondemand::json_type::array) return out;
  for (ondemand::value element : value.get_array()) out.emplace_back(scalarText(element));
  return out;
}

/// A list of tensors has one type and several shapes. Both columns get one entry per tensor.
void alignTypes(OperatorFacts& op, const std::vector<size_t>& tensorsOfArgument) {
  std::vector<std::string> types;
  for (size_t i = 0; i < op.inputTypes.size(); ++i)
    types.insert(types.end(), i < tensorsOfArgument.size() ? tensorsOfArgument[i] : 1, op.inputTypes[i]);
  op.inputTypes = std::move(types);
}

void readArguments(ondemand::object arguments, ChromeEvent& event) {
  std::vector<size_t> tensorsOfArgument;
  const auto launch = [&]() -> LaunchFacts& { return event.launch ? *event.launch : event.launch.emplace(); };
  const auto op = [&]() -> OperatorFacts& { return event.op ? *event.op : event.op.emplace(); };
  for (auto field : arguments) {
    const std::string_view key = field.unescaped_key();
    ondemand::value value = field.value();
    if (key == "correlation")
      event.correlation = integerOr(value);
    else if (key == "Ev Idx")
      event.recordIndex = integerOr(value);
    else if (key == "Python id")
      event.pythonId = integerOr(value);
    else if (key == "name")
      event.argumentName = scalarText(value);
    else if (key == "grid")
      readTriple(value, launch().grid);
    else if (key == "block")
      readTriple(value, launch().block);
    else if (key == "registers per thread")
      launch().registers = integerOr(value);
    else if (key == "shared memory")
      launch().sharedMemoryBytes = integerOr(value);
    else if (key == "bytes")
      launch().bytes = integerOr(value);
    else if (key == "Input Dims" || key == "Input dims")
      op().inputDims = readDims(value, tensorsOfArgument);
    else if (key == "Input type" || key == "Input Types")
      op().inputTypes = readTypes(value);
    else if (key == "Sequence number")
      op().sequenceNumber = integerOr(value);
  }
  if (event.op) alignTypes(*event.op, tensorsOfArgument);
}

}  // namespace

std::string_view scalarText(ondemand::value value) {
  switch (value.type().value()) {
    case ondemand::json_type::string:
      return value.get_string();
    case ondemand::json_type::number:
      return trimmed(value.raw_json_token());
    default:
      return {};
  }
}

int64_t integerOr(ondemand::value value) {
  const std::string_view text = scalarText(value);
  int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : -1;
}

ChromeEvent readChromeEvent(ondemand::object object) {
  ChromeEvent event;
  for (auto field : object) {
    const std::string_view key = field.unescaped_key();
    ondemand::value value = field.value();
    if (key == "ph")
      event.phase = scalarText(value);
    else if (key == "cat")
      event.category = scalarText(value);
    else if (key == "name")
      event.name = scalarText(value);
    else if (key == "pid")
      event.process = scalarText(value);
    else if (key == "tid")
      event.thread = scalarText(value);
    else if (key == "ts")
      event.startNs = readTimeNs(key, value);
    else if (key == "dur")
      event.durationNs = readTimeNs(key, value);
    else if (key == "args" && value.type() == ondemand::json_type::object)
      readArguments(value.get_object(), event);
  }
  return event;
}

}  // namespace amdahlc::trace

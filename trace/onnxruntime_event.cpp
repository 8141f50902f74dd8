#include "trace/onnxruntime_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "support/decimal_time.h"
#include "trace/kineto_event.h"

namespace amdahlc::trace {
namespace {

namespace ondemand = simdjson::ondemand;

// The unit of `ts` and `dur`, which count from the start of profiling.
constexpr int64_t kMicrosecondNs = 1000;

std::optional<int64_t> readTimeNs(std::string_view key, ondemand::value value) {
  const std::string_view token = value.raw_json_token();
  if (const auto ns = parseDecimalNs(scalarText(value), kMicrosecondNs)) return ns;
  throw InvalidValue(fmt::format("`{}` is `{}`, which is not a time in microseconds", key, token.substr(0, 40)),
                     token.data());
}

/// `[{"float":[1,576]},{"int64":[]}]`: one entry for each operand.
void readOperands(ondemand::value value, OperatorFacts& op) {
  if (value.type() != ondemand::json_type::array) return;
  for (ondemand::value operand : value.get_array()) {
    if (operand.type() != ondemand::json_type::object) continue;
    for (auto field : operand.get_object()) {
      op.inputTypes.emplace_back(std::string_view(field.unescaped_key()));
      std::vector<int64_t>& dims = op.inputDims.emplace_back();
      ondemand::value shape = field.value();
      if (shape.type() != ondemand::json_type::array) continue;
      for (ondemand::value dim : shape.get_array()) dims.push_back(integerOr(dim));
    }
  }
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

void readArguments(ondemand::object arguments, OnnxRuntimeEvent& event) {
  LaunchFacts launch;
  for (auto field : arguments) {
    const std::string_view key = field.unescaped_key();
    ondemand::value value = field.value();
    if (key == "op_name")
      event.operatorType = scalarText(value);
    else if (key == "provider")
      event.provider = scalarText(value);
    else if (key == "parent_name")
      event.parentName = scalarText(value);
    else if (key == "stream")
      event.stream = scalarText(value);
    else if (key == "input_type_shape")
      readOperands(value, event.op);
    else if (int64_t* fact = launchFact(key, launch)) {
      *fact = integerOr(value);
      event.launch = launch;
    }
  }
}

/// A name between what ONNX Runtime writes before and after it. An argument is followed by another one or is the last.
struct NamePlace {
  std::string_view before, after, afterLast;
};
constexpr NamePlace kNamePlaces[] = {
    {R"("name" :")", R"(","args" : {)", R"(","args" : {)"},
    {R"("parent_name" : ")", R"(",")", R"("}})"},
};

/// Whether the text is what a JSON writer makes of a name. A name holds a backslash rather than a control character:
/// `C:\\net` has no line end.
bool isEscaped(std::string_view text) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"' || static_cast<unsigned char>(text[at]) < 0x20) return false;
    if (text[at] != '\\') continue;
    if (++at == text.size()) return false;
    constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
    const std::string_view digits = text.substr(at + 1, 4);
    const bool isCode = text[at] == 'u' && digits.size() == 4 && digits.find_first_not_of(kHexDigits) == digits.npos;
    if (!isCode && text[at] != '"' && text[at] != '\\' && text[at] != '/') return false;
  }
  return true;
}

void appendEscaped(std::string& out, std::string_view name) {
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
}

}  // namespace

OnnxRuntimeEvent readOnnxRuntimeEvent(ondemand::object object) {
  OnnxRuntimeEvent event;
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

size_t escapeNames(std::string& text) {
  const std::string_view all = text;
  std::string out;
  size_t copied = 0, escaped = 0;
  for (size_t lineBegin = 0; lineBegin < all.size();) {  // one event
    const size_t lineEnd = std::min(all.find('\n', lineBegin), all.size());
    const std::string_view line = all.substr(0, lineEnd);
    size_t at = lineBegin;
    for (const NamePlace& place : kNamePlaces) {
      const size_t before = line.find(place.before, at);
      if (before == std::string_view::npos) continue;
      const size_t from = before + place.before.size();
      const size_t end = std::min(line.find(place.after, from), line.find(place.afterLast, from));
      if (end == std::string_view::npos) continue;
      at = end;
      const std::string_view name = line.substr(from, end - from);
      if (isEscaped(name)) continue;
      out.append(all, copied, from - copied);
      appendEscaped(out, name);
      copied = end;
      ++escaped;
    }
    lineBegin = lineEnd + 1;
  }
  if (escaped == 0) return 0;
  out.append(all, copied);
  text = std::move(out);
  return escaped;
}

}  // namespace amdahlc::trace

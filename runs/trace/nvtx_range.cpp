#include "runs/trace/nvtx_range.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "replay/runtimes/runtime.h"

namespace amdahlc::trace {
namespace {

constexpr std::string_view kSequence = ", seq = ";
constexpr std::string_view kOperatorId = ", op_id = ";
constexpr std::string_view kSizes = ", sizes = ";
/// The calls whose results are the inputs; nothing here needs them.
constexpr std::string_view kInputs = ", input_op_ids = ";
constexpr std::string_view kNvtxFields[] = {kSequence, kOperatorId, kSizes, kInputs};

constexpr std::string_view kAtenPrefix = "aten::";
constexpr std::string_view kAutograd = "autograd::engine::evaluate_function: ";

bool takeText(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<int64_t> takeNumber(std::string_view& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

/// `[1, 2]`, of elements that `take` takes.
template <typename Take>
auto takeList(std::string_view& text, const Take& take) {
  std::optional<std::vector<typename decltype(take(text))::value_type>> list;
  if (!takeText(text, "[")) return list;
  list.emplace();
  if (takeText(text, "]")) return list;
  do {
    auto element = take(text);
    if (!element) return decltype(list)();
    list->push_back(std::move(*element));
  } while (takeText(text, ", "));
  if (!takeText(text, "]")) list.reset();
  return list;
}

/// `[[1, 2], [], [3]]`: one shape for each argument, and for each tensor of a list of tensors; empty for other
/// arguments.
std::optional<std::vector<std::vector<int64_t>>> takeShapes(std::string_view& text) {
  return takeList(text, [](std::string_view& shape) { return takeList(shape, takeNumber); });
}

/// `aten::addmm`, `torchvision::nms`: names of parts joined by `::`.
bool isQualifiedName(std::string_view name) {
  const auto isPart = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    });
  };
  size_t parts = 1;
  for (size_t colons = name.find("::"); colons != std::string_view::npos; colons = name.find("::"), ++parts) {
    if (!isPart(name.substr(0, colons))) return false;
    name.remove_prefix(colons + 2);
  }
  return parts > 1 && isPart(name);
}

/// Reads the fields after the name. False if the text has another form.
bool readNvtxFields(std::string_view text, NvtxRange& range) {
  const auto readNumber = [&](int64_t& to) {
    const auto number = takeNumber(text);
    if (!number && !text.empty()) return false;
    to = number.value_or(-1);
    range.cutOff |= !number;
    return true;
  };
  while (!text.empty()) {
    if (takeText(text, kSequence)) {
      if (!readNumber(range.sequenceNumber)) return false;
    } else if (takeText(text, kOperatorId)) {
      if (!readNumber(range.operatorId)) return false;
    } else if (takeText(text, kSizes)) {
      if (!text.empty() && !text.starts_with('[')) return false;
      const std::string_view shapes = text;
      range.shapes = takeShapes(text);
      range.cutOff |= !range.shapes;
      if (!range.shapes) break;
      range.shapesText = shapes.substr(0, shapes.size() - text.size());
    } else if (takeText(text, kInputs)) {
      break;
    } else {
      // The text may end inside the name of the next field.
      range.cutOff = std::ranges::any_of(kNvtxFields, [&](std::string_view field) { return field.starts_with(text); });
      return range.cutOff;
    }
  }
  return true;
}

}  // namespace

NvtxRange readNvtxRange(std::string_view text) {
  NvtxRange plain;
  plain.name = text;
  if (text.starts_with(kAtenPrefix) && isQualifiedName(text)) plain.kind = EventKind::Operator;

  size_t end = std::string_view::npos;
  for (const std::string_view field : kNvtxFields) end = std::min(end, text.find(field, 1));
  if (end == std::string_view::npos) return plain;
  NvtxRange range;
  range.name = text.substr(0, end);
  if (!readNvtxFields(text.substr(end), range)) return plain;
  // The ranges of users have no sequence number (`record_function`), and seldom such names.
  const bool isOperator = isQualifiedName(range.name) || range.name.starts_with(kAutograd) ||
                          range.sequenceNumber >= 0 || runtimeAdapter(kPyTorch).isGeneratedCode(range.name);
  range.kind = isOperator ? EventKind::Operator : EventKind::Annotation;
  if (!isOperator) range.shapes.reset();
  return range;
}

}  // namespace amdahlc::trace

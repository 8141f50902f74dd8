#include "report/attribute_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "support/utf8.h"

namespace amdahlc {
namespace {

constexpr size_t kShownElements = 16;
constexpr size_t kShownBytes = 200;

std::string describeValue(int64_t value) { return fmt::format("{}", value); }
/// As ONNX stores it: a double would show digits that no one wrote.
std::string describeValue(double value) { return fmt::format("{}", static_cast<float>(value)); }
std::string describeValue(const std::string& text) {
  return text.size() <= kShownBytes ? text : std::string(utf8::beginning(text, kShownBytes)) + "...";
}
std::string describeValue(const ir::TensorConstant& tensor) { return ir::describe(tensor.type); }
std::string describeValue(const ir::Type& type) { return ir::describe(type); }

template <typename Element>
std::string describeValue(const std::vector<Element>& elements) {
  std::string text = "[";
  for (size_t i = 0; i < std::min(kShownElements, elements.size()); ++i)
    text += (i == 0 ? "" : ", ") + describeValue(elements[i]);
  return text + (elements.size() > kShownElements ? ", ...]" : "]");
}

}  // namespace

std::string describeAttribute(const ir::AttributeValue& value) {
  return std::visit([](const auto& held) { return describeValue(held); }, value);
}

}  // namespace amdahlc

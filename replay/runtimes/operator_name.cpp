#include "replay/runtimes/operator_name.h"

#include "support/case_folding.h"

namespace amdahlc {
namespace {

// ONNX's prefix for reductions (`ReduceMean`); frameworks have none (`mean`).
constexpr std::string_view kReduction = "reduce";

std::string_view withoutNamespace(std::string_view name) {
  if (const size_t colons = name.rfind("::"); colons != std::string_view::npos) name.remove_prefix(colons + 2);
  return name;
}

}  // namespace

std::string_view originOperator(std::string_view target) {
  if (const size_t dot = target.find('.'); dot != std::string_view::npos) {
    target.remove_prefix(dot + 1);
    target = target.substr(0, target.find('.'));
  }
  target = withoutNamespace(target);
  while (target.size() > 1 && target.back() == '_') target.remove_suffix(1);
  return target;
}

std::string originCall(std::string_view target) {
  std::string_view space = target.substr(0, target.find("::"));
  if (space.size() == target.size()) space = target.substr(0, target.find('.'));
  if (space.size() == target.size()) return std::string(originOperator(target));
  return std::string(space) + "::" + std::string(originOperator(target));
}

std::string comparableName(std::string_view name) {
  std::string text;
  for (const char c : withoutNamespace(name)) {
    const char lower = toLower(c);
    if ((lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9')) text += lower;
  }
  if (text.size() > kReduction.size() && text.starts_with(kReduction)) text.erase(0, kReduction.size());
  return text;
}

}  // namespace amdahlc

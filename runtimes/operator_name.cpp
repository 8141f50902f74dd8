#include "runtimes/operator_name.h"

#include "support/case_folding.h"

namespace amdahlc {
namespace {

constexpr std::string_view kVariants[] = {"native", "reduce", "cudnn", "miopen", "mkldnn"};

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

std::string comparableName(std::string_view name) {
  std::string text;
  for (const char c : withoutNamespace(name)) {
    const char lower = toLower(c);
    if ((lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9')) text += lower;
  }
  for (const std::string_view variant : kVariants)
    if (text.size() > variant.size() && text.starts_with(variant)) text.erase(0, variant.size());
  return text;
}

}  // namespace amdahlc

#include "ir/facets.h"

namespace amdahlc::ir {

std::string toString(EvidenceSet evidence) {
  static constexpr std::pair<Evidence, const char*> kNames[] = {{Evidence::Name, "name"},
                                                                {Evidence::Operator, "operator"},
                                                                {Evidence::Shape, "shape"},
                                                                {Evidence::Module, "module"},
                                                                {Evidence::Order, "order"}};
  std::string out;
  for (const auto& [bit, word] : kNames) {
    if ((evidence & static_cast<EvidenceSet>(bit)) == 0) continue;
    if (!out.empty()) out += '+';
    out += word;
  }
  return out;
}

std::string_view name(KernelState state) {
  switch (state) {
    case KernelState::Unbound:
      return "unbound";
    case KernelState::Bound:
      return "bound";
    case KernelState::NoDeviceWork:
      return "no-device-work";
    case KernelState::NotExecuted:
      return "not-executed";
  }
  return {};
}

}  // namespace amdahlc::ir

#include "passes/manager/registry.h"

#include <algorithm>

namespace amdahlc {

const PassInfo* PassRegistry::find(std::string_view name) const {
  auto found = std::find_if(passes_.begin(), passes_.end(), [&](const PassInfo& info) { return info.name == name; });
  return found == passes_.end() ? nullptr : &*found;
}

std::vector<std::string> PassRegistry::names() const {
  std::vector<std::string> result;
  for (const PassInfo& info : passes_) result.push_back(info.name);
  return result;
}

const PassInfo* PassRegistry::establishing(ir::Facet facet) const {
  for (const PassInfo& info : passes_) {
    const auto pass = info.create();
    const auto& facets = pass->establishes();
    if (std::find(facets.begin(), facets.end(), facet) != facets.end()) return &info;
  }
  return nullptr;
}

}  // namespace amdahlc

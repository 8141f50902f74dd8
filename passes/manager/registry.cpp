#include "passes/manager/registry.h"

#include <algorithm>

namespace amdahlc {

PassRegistry::PassRegistry(std::vector<PassInfo> passes) : passes_(std::move(passes)) {
  for (const PassInfo& info : passes_) {
    const auto pass = create(info);
    const auto& printers = pass->analysisPrinters();
    analysisPrinters_.insert(analysisPrinters_.end(), printers.begin(), printers.end());
  }
  // The options that list declarations of all passes are complete only now.
  for (const PassInfo& info : passes_) declarations_.push_back(create(info));
}

const PassInfo* PassRegistry::find(std::string_view name) const {
  auto found = std::ranges::find(passes_, name, &PassInfo::name);
  return found == passes_.end() ? nullptr : &*found;
}

std::vector<std::string> PassRegistry::names() const {
  std::vector<std::string> result;
  for (const PassInfo& info : passes_) result.push_back(info.name);
  return result;
}

std::unique_ptr<Pass> PassRegistry::create(const PassInfo& info) const {
  auto pass = info.create();
  pass->completeOptions(*this);
  return pass;
}

const Pass& PassRegistry::declarations(const PassInfo& info) const {
  return *declarations_[static_cast<size_t>(&info - passes_.data())];
}

const PassInfo* PassRegistry::findBy(const std::function<bool(const Pass&)>& test) const {
  for (const PassInfo& info : passes_)
    if (test(declarations(info))) return &info;
  return nullptr;
}

const PassInfo* PassRegistry::establishing(ir::Facet facet) const {
  return findBy([&](const Pass& pass) { return pass.establishes() == facet; });
}

const PassInfo* PassRegistry::needing(PassInput input) const {
  return findBy([&](const Pass& pass) { return pass.neededInputs().contains(input); });
}

}  // namespace amdahlc

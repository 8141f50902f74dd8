/// What passes there are. Filled from `passes/passes.def` by a component above all passes; the manager knows none of them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "passes/manager/pass.h"

namespace amdahlc {

struct PassInfo {
  std::string name;     ///< kebab case
  std::string summary;  ///< one line
  std::function<std::unique_ptr<Pass>()> create;
};

class PassRegistry {
 public:
  explicit PassRegistry(std::vector<PassInfo> passes) : passes_(std::move(passes)) {}

  /// In the order of `passes.def`.
  const std::vector<PassInfo>& passes() const { return passes_; }
  const PassInfo* find(std::string_view name) const;
  std::vector<std::string> names() const;
  /// The first pass that establishes `facet`, or nullptr.
  const PassInfo* establishing(ir::Facet facet) const;

 private:
  std::vector<PassInfo> passes_;
};

}  // namespace amdahlc

/// Analyses: classes built from the module, cached by type, dropped when a pass changes the module without preserving them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <typeindex>
#include <unordered_map>
#include <utility>

#include "ir/module.h"

namespace amdahlc {

class AnalysisCache {
 public:
  explicit AnalysisCache(const ir::Module& module) : module_(module) {}

  /// The analysis `A`, built as `A(module, args...)` on first use. `key` tells apart analyses of different covers or scenarios (its name).
  template <typename A, typename... Args>
  const A& get(const std::string& key, Args&&... args) {
    auto& slot = entries_[std::type_index(typeid(A))][key];
    if (!slot) {
      if (onCompute) onCompute(A::kName, true);
      slot = std::make_shared<A>(module_, std::forward<Args>(args)...);
      if (onCompute) onCompute(A::kName, false);
    }
    return *static_cast<const A*>(slot.get());
  }
  void invalidate() { entries_.clear(); }
  const ir::Module& module() const { return module_; }

  /// Instrumentation: called before (true) and after (false) an analysis is computed.
  std::function<void(const char* name, bool begin)> onCompute;

 private:
  const ir::Module& module_;
  // Looked up, never iterated: the order of type indices does not matter.
  std::unordered_map<std::type_index, std::unordered_map<std::string, std::shared_ptr<void>>> entries_;
};

}  // namespace amdahlc

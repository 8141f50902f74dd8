/// The list of passes. A component above all passes fills it from `passes/passes.def`; the manager knows no pass.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "passes/manager/pass.h"

namespace amdahlc {

struct PassInfo {
  /// Kebab case.
  std::string name;
  /// One line.
  std::string summary;
  std::function<std::unique_ptr<Pass>()> create;
};

class PassRegistry {
 public:
  explicit PassRegistry(std::vector<PassInfo> passes);

  /// In the order of `passes.def`.
  const std::vector<PassInfo>& passes() const { return passes_; }
  const PassInfo* find(std::string_view name) const;
  std::vector<std::string> names() const;
  /// A new instance with all its options.
  std::unique_ptr<Pass> create(const PassInfo& info) const;
  /// An instance that never runs, for its declarations.
  const Pass& declarations(const PassInfo& info) const;

  /// The first pass that establishes `facet`, or nullptr.
  const PassInfo* establishing(ir::Facet facet) const;
  /// The first pass that needs `input`, or nullptr.
  const PassInfo* needing(PassInput input) const;
  /// Of all passes, in their order.
  const std::vector<AnalysisPrinter>& analysisPrinters() const { return analysisPrinters_; }

 private:
  const PassInfo* findBy(const std::function<bool(const Pass&)>& test) const;

  std::vector<PassInfo> passes_;
  /// Parallel to `passes_`.
  std::vector<std::unique_ptr<Pass>> declarations_;
  std::vector<AnalysisPrinter> analysisPrinters_;
};

}  // namespace amdahlc

/// `-print-before=`, `-print-after=`, `-print-after-all`, `-print-changed`: dumps of the IR. The banner is an IR
/// comment, so that each dump is valid input, except with `-filter-print=`.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "passes/manager/instrumentation.h"

namespace amdahlc {

struct IrPrintingOptions {
  /// Pass names.
  std::vector<std::string> before;
  std::vector<std::string> after;
  bool afterAll = false;
  /// Dump after each pass that changed the text; for others only the banner.
  bool changed = false;
  /// If there are any, only what is about these nodes and kernels, as `filteredIr` does it.
  std::vector<std::string> filter = {};
  bool any() const { return !before.empty() || !after.empty() || afterAll || changed; }
};

class IrPrinting : public PassInstrumentation {
 public:
  IrPrinting(IrPrintingOptions options, std::function<void(std::string_view)> dump)
      : options_(std::move(options)), dump_(std::move(dump)) {}
  void beforePass(const PassRun& run) override;
  bool afterPass(const PassRun& run, const PassResult& result) override;
  /// Prints only a banner, because the module may be invalid.
  void afterPassFailed(const PassRun& run) override;
  /// The names of the filter that nothing had in any dump.
  std::vector<std::string> notFound() const;

 private:
  bool wantsAfter(const std::string& pass) const;
  std::string text(const ir::Module& module);

  IrPrintingOptions options_;
  std::function<void(std::string_view)> dump_;
  /// `-print-changed` only.
  std::string textBefore_;
  /// Of each name of the filter.
  std::vector<bool> found_;
};

/// The statements of `text`, which is the printed form of `module`, about
/// - the operators named by `names`, or of kernels whose rule or label they name;
/// - candidates and kernels with these operators, and all that facets say of those kernels;
/// - rules of these candidates, and events that are bound to these kernels;
/// with the blocks around them. `found[i]` is set if `names[i]` names something. It is no input for a run.
std::string filteredIr(std::string_view text, const ir::Module& module, const std::vector<std::string>& names,
                       std::vector<bool>& found);

}  // namespace amdahlc

/// `-print-before=`, `-print-after=`, `-print-after-all`, `-print-changed`: dumps of the IR. The banner is an IR
/// comment, so that each dump is valid input.
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

 private:
  bool wantsAfter(const std::string& pass) const;

  IrPrintingOptions options_;
  std::function<void(std::string_view)> dump_;
  /// `-print-changed` only.
  std::string textBefore_;
};

}  // namespace amdahlc

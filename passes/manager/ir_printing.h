/// `-print-before=`, `-print-after=`, `-print-after-all`, `-print-changed`: dumps whose banner is an IR comment, so that each can be input again.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "passes/manager/instrumentation.h"

namespace amdahlc {

struct IrPrintingOptions {
  std::vector<std::string> before;  ///< pass names
  std::vector<std::string> after;
  bool afterAll = false;
  bool changed = false;  ///< after each pass that changed the text; of the others only the banner
  bool any() const { return !before.empty() || !after.empty() || afterAll || changed; }
};

class IrPrinting : public PassInstrumentation {
 public:
  IrPrinting(IrPrintingOptions options, std::function<void(std::string_view)> dump)
      : options_(std::move(options)), dump_(std::move(dump)) {}
  void beforePass(const PassInfo& info, const ir::Module& module) override;
  bool afterPass(const PassInfo& info, const Pass& pass, const ir::Module& module, const PassResult& result) override;

 private:
  IrPrintingOptions options_;
  std::function<void(std::string_view)> dump_;
  std::string textBefore_;  ///< `changed` only
};

}  // namespace amdahlc

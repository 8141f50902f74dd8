// The module does not change. The text goes to the dump channel (stderr, or -print-to), never to the outputs.
//
//   print                      // IR at this point        (the rest is the IR text, which can be input again)
//   print<kernel-graph>        kernel-graph of cover `default`: ...
//
// The passes of the registry declare which analyses can be printed.

#include <memory>
#include <vector>

#include "ir/text.h"
#include "passes/manager/pass.h"
#include "passes/manager/registry.h"

namespace amdahlc {

class PrintPass : public Pass {
 public:
  PassResult run(ir::Module& module, PassContext& context) override;
  /// One flag for each analysis that a pass can print.
  void completeOptions(const PassRegistry& registry) override;

 private:
  /// In the order of the options.
  std::vector<AnalysisPrinter> wanted_;
};

void PrintPass::completeOptions(const PassRegistry& registry) {
  for (const AnalysisPrinter& printer : registry.analysisPrinters()) {
    PassOption option;
    option.name = printer.name;
    option.kind = PassOption::Kind::Flag;
    option.text = OptionText(printer.summary);
    option.defaultValue = "false";
    option.set = [this, printer](std::string_view) {
      wanted_.push_back(printer);
      requiresFacet(printer.needs);
    };
    options().push_back(std::move(option));
  }
}

PassResult PrintPass::run(ir::Module& module, PassContext& context) {
  if (wanted_.empty()) context.dump("// IR at this point\n" + ir::print(module));
  for (const AnalysisPrinter& printer : wanted_) {
    std::string text;
    for (const ir::CoverId cover : printer.covers(module)) text += printer.print(module, cover, context.analyses);
    context.dump(text);
  }
  return PassResult::unchanged();
}

std::unique_ptr<Pass> makePrintPass() { return std::make_unique<PrintPass>(); }

}  // namespace amdahlc

// The module does not change. The text goes to the dump channel (stderr, or -print-to), never to the outputs.
//
//   print                      // IR at this point        (the rest is the IR text, which can be input again)
//   print<kernel-graph>        kernel-graph of cover `default`: ...
//
// The passes of the registry declare which analyses can be printed.

#include "passes/print/print_pass.h"

#include "ir/text.h"
#include "passes/manager/registry.h"

namespace amdahlc {

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
  for (const AnalysisPrinter& printer : wanted_) context.dump(printer.print(module, context.analyses));
  return PassResult::unchanged();
}

}  // namespace amdahlc

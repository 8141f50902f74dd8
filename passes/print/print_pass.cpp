// The module stays as it is; text goes to the dump channel (stderr, or -print-to), never among the outputs.
//
//   print                      // IR at this point        (the rest is the IR text, which can be input again)
//   print<kernel-graph>        kernel-graph of cover `default`: ...
//
// Which analyses can be shown is the list analyses.def: a component adds a row and a function that gives the text.

#include "passes/print/print_pass.h"

#include <iterator>
#include <string>

#include "ir/text.h"

namespace amdahlc {

#define AMDAHLC_ANALYSIS(NAME, FUNCTION, FACET, SUMMARY) std::string FUNCTION(const ir::Module&, AnalysisCache&);
#include "passes/analyses.def"

namespace {

struct PrintableAnalysis {
  const char* name;
  std::string (*print)(const ir::Module&, AnalysisCache&);
  ir::Facet facet;
  const char* summary;
};

constexpr PrintableAnalysis kAnalyses[] = {
#define AMDAHLC_ANALYSIS(NAME, FUNCTION, FACET, SUMMARY) {NAME, FUNCTION, ir::Facet::FACET, SUMMARY},
#include "passes/analyses.def"
};

}  // namespace

PrintPass::PrintPass() {
  for (size_t row = 0; row < std::size(kAnalyses); ++row) {
    PassOption option;
    option.name = kAnalyses[row].name;
    option.kind = PassOption::Kind::Flag;
    option.description = kAnalyses[row].summary;
    option.defaultValue = "false";
    option.set = [this, row](std::string_view) {
      wanted_.push_back(row);
      requiresFacet(kAnalyses[row].facet);
    };
    options().push_back(std::move(option));
  }
}

PassResult PrintPass::run(ir::Module& module, PassContext& context) {
  if (wanted_.empty()) context.dump("// IR at this point\n" + ir::print(module));
  for (const size_t row : wanted_) context.dump(kAnalyses[row].print(module, context.analyses));
  return PassResult::unchanged();
}

}  // namespace amdahlc

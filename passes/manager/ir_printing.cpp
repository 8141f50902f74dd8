#include "passes/manager/ir_printing.h"

#include <algorithm>

#include "ir/text.h"

namespace amdahlc {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void IrPrinting::beforePass(const PassRun& run) {
  const bool wanted = contains(options_.before, run.info.name);
  if (!wanted && !options_.changed) return;
  std::string text = ir::print(run.module);
  if (wanted) dump_("// IR before " + run.info.name + "\n" + text);
  if (options_.changed) textBefore_ = std::move(text);
}

bool IrPrinting::wantsAfter(const std::string& pass) const {
  return options_.afterAll || contains(options_.after, pass);
}

bool IrPrinting::afterPass(const PassRun& run, const PassResult&) {
  const bool wanted = wantsAfter(run.info.name);
  if (!wanted && !options_.changed) return true;
  const std::string text = ir::print(run.module);
  // The text decides, not the result of the pass, so that this option reveals a wrong result.
  if (wanted || text != textBefore_)
    dump_("// IR after " + run.info.name + "\n" + text);
  else
    dump_("// IR after " + run.info.name + ": unchanged\n");
  return true;
}

void IrPrinting::afterPassFailed(const PassRun& run) {
  if (wantsAfter(run.info.name) || options_.changed)
    dump_("// IR after " + run.info.name + ": not printed; the pass failed\n");
}

}  // namespace amdahlc

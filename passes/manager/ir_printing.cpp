#include "passes/manager/ir_printing.h"

#include <algorithm>

#include "ir/text.h"

namespace amdahlc {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void IrPrinting::beforePass(const PassInfo& info, const ir::Module& module) {
  const bool wanted = contains(options_.before, info.name);
  if (!wanted && !options_.changed) return;
  std::string text = ir::print(module);
  if (wanted) dump_("// IR before " + info.name + "\n" + text);
  if (options_.changed) textBefore_ = std::move(text);
}

bool IrPrinting::afterPass(const PassInfo& info, const Pass&, const ir::Module& module, const PassResult&) {
  const bool wanted = options_.afterAll || contains(options_.after, info.name);
  if (!wanted && !options_.changed) return true;
  const std::string text = ir::print(module);
  // The text decides, not what the pass claims: this option is how a wrong claim is found.
  if (wanted || text != textBefore_)
    dump_("// IR after " + info.name + "\n" + text);
  else
    dump_("// IR after " + info.name + ": unchanged\n");
  return true;
}

}  // namespace amdahlc

#include "passes/manager/ir_printing.h"

#include <algorithm>

#include "ir/text.h"

namespace amdahlc {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

void IrPrinting::beforePass(const PassRun& run) {
  const bool wanted = contains(options_.before, run.info.name);
  if (!wanted && !options_.changed) return;
  std::string text = this->text(run.module);
  if (wanted) dump_("// IR before " + run.info.name + "\n" + text);
  if (options_.changed) textBefore_ = std::move(text);
}

std::string IrPrinting::text(const ir::Module& module) {
  std::string text = ir::print(module);
  return options_.filter.empty() ? text : filteredIr(text, module, options_.filter, found_);
}

std::vector<std::string> IrPrinting::notFound() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < options_.filter.size(); ++i)
    if (i >= found_.size() || !found_[i]) names.push_back(options_.filter[i]);
  return names;
}

bool IrPrinting::wantsAfter(const std::string& pass) const {
  return options_.afterAll || contains(options_.after, pass);
}

bool IrPrinting::afterPass(const PassRun& run, const PassResult&) {
  const bool wanted = wantsAfter(run.info.name);
  if (!wanted && !options_.changed) return true;
  const std::string text = this->text(run.module);
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

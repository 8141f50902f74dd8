#include "passes/manager/analysis_printer.h"

#include <fmt/format.h>

#include "ir/kernel_graph.h"

namespace amdahlc {

std::string kernelTitle(const ir::Module& module, const ir::Kernel& kernel) {
  return fmt::format("{} \"{}\" at {}", kernel.id.index(), ir::kernelLabel(module, kernel),
                     module.displayName(kernel.anchor()));
}

}  // namespace amdahlc

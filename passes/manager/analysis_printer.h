/// Printers of analyses, which passes declare for `print<name>`.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"
#include "passes/manager/analysis.h"

namespace amdahlc {

struct AnalysisPrinter {
  /// The analysis's name.
  std::string name;
  /// One line for help.
  std::string summary;
  /// The facet that must be established before.
  ir::Facet needs;
  /// The text about one cover.
  std::string (*print)(const ir::Module&, ir::CoverId, AnalysisManager&);
  /// The covers that it is printed of.
  std::vector<ir::CoverId> (*covers)(const ir::Module&) = reportedCovers;
};

/// A kernel as printers write it: `3 "sdpa" at /layer.0/MatMul`.
std::string kernelTitle(const ir::Module& module, const ir::Kernel& kernel);

}  // namespace amdahlc

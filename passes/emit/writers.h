/// The outputs of `emit`: one writer each, all laying out the same report.
#pragma once

#include <string>
#include <vector>

#include "passes/emit/report.h"

namespace amdahlc {

/// How wide and how coloured a text for people may be.
struct TextStyle {
  unsigned columns = 100;
  bool color = false;
};

std::string writeSummary(const Report& report, const TextStyle& style);
/// `amdahlc.report/1`.
std::string writeJson(const Report& report);
/// One row per kernel and run.
std::string writeCsv(const Report& report);
/// One row per selected device event of one run, in order of start.
std::string writeBindings(const RunReport& run);
/// One digraph per run: kernels, their dependences, branch labels, the critical path.
std::string writeDot(const Report& report);

}  // namespace amdahlc

/// The report as an analysis, so that several outputs share one.
#pragma once

#include "passes/emit/report.h"

namespace amdahlc {

class ReportAnalysis {
 public:
  static constexpr const char* kName = "report";
  ReportAnalysis(const ir::Module& module, AnalysisManager& analyses) : report_(buildReport(module, analyses)) {}

  const Report& report() const { return report_; }

  /// Equal if their content is equal: JSON without the sections of passes, and CSV, contain all of a report.
  friend bool operator==(const ReportAnalysis& a, const ReportAnalysis& b);

 private:
  Report report_;
};

}  // namespace amdahlc

/// The report as an analysis, so that several outputs share one.
#pragma once

#include "report/report.h"

namespace amdahlc {

class ReportAnalysis {
 public:
  static constexpr const char* kName = "report";
  ReportAnalysis(const ir::Module& module, AnalysisManager& analyses) : report_(buildReport(module, analyses)) {}

  const Report& report() const { return report_; }

  friend bool operator==(const ReportAnalysis&, const ReportAnalysis&) = default;

 private:
  Report report_;
};

}  // namespace amdahlc

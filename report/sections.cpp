#include "report/section.h"

#include <fmt/format.h>

#include "support/ratio.h"
#include "support/statistics.h"

namespace amdahlc {

std::span<const ReportSection* const> reportSections() {
  static constexpr const ReportSection* kSections[] = {
#define AMDAHLC_SECTION(NAME) &NAME,
#include "report/sections.def"
  };
  return kSections;
}

std::string microseconds(double ns) { return fmt::format("{:.3f}", ns / 1000); }

int64_t ReportRun::perIteration(int64_t total) const { return amdahlc::perIteration(total, iterations); }

double ReportRun::busyShare(int64_t totalNs) const { return shareOf(totalNs, busyNs); }

}  // namespace amdahlc

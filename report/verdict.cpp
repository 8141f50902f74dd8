#include "report/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "passes/manager/report_values.h"
#include "support/printable.h"

namespace amdahlc {
namespace {

/// The busy share of wall time, and the largest category.
std::vector<std::string> shares(const RunReport& run) {
  std::vector<std::string> parts;
  const TraceTotals& totals = *run.totals;
  if (totals.wall && totals.wall->totalNs > 0)
    parts.push_back(fmt::format("busy {} of wall", formatPercent(static_cast<double>(totals.busy.totalNs) /
                                                                 static_cast<double>(totals.wall->totalNs))));
  if (!run.byCategory.empty() && run.byCategory.front().time.totalNs > 0)
    parts.push_back(
        fmt::format("{} {} of busy", run.byCategory.front().name, formatPercent(run.byCategory.front().shares.ratio)));
  return parts;
}

struct LevelInfo {
  TrustLevel level;
  std::string_view name;
  /// The words before the verdict.
  std::string_view warning;
};
/// In the order of the enumerators.
constexpr LevelInfo kLevels[] = {
    {TrustLevel::Full, "full", ""},
    {TrustLevel::Limited, "limited", "take care: "},
    {TrustLevel::None, "none", "do not trust: "},
};

const LevelInfo& info(TrustLevel level) { return kLevels[static_cast<size_t>(level)]; }

}  // namespace

std::string_view name(TrustLevel level) { return info(level).name; }

std::optional<Verdict> verdictOn(const RunReport& run) {
  if (!run.totals) return std::nullopt;
  Verdict verdict;
  std::vector<std::string> reasons;
  for (const ReportSection* section : reportSections()) {
    const auto trust = section->trust ? section->trust(run.measured) : std::nullopt;
    if (!trust) continue;
    // A higher level of trust is not the reason for a lower one.
    if (trust->level > verdict.trust) {
      reasons.clear();
      verdict.advice.clear();
    }
    if (trust->level >= verdict.trust) {
      reasons.push_back(trust->reason);
      if (!trust->advice.empty()) verdict.advice.push_back(trust->advice);
    }
    verdict.trust = std::max(verdict.trust, trust->level);
  }
  std::vector<std::string> parts;
  if (verdict.trust != TrustLevel::None) {
    for (const ReportSection* section : reportSections())
      if (std::string limit = section->limit ? section->limit(run.measured) : ""; !limit.empty())
        parts.push_back(std::move(limit));
    for (std::string& share : shares(run)) parts.push_back(std::move(share));
  }
  parts.insert(verdict.trust == TrustLevel::Full ? parts.end() : parts.begin(), reasons.begin(), reasons.end());
  verdict.text = fmt::format("{}{}", info(verdict.trust).warning, fmt::join(parts, "; "));
  return verdict;
}

std::vector<std::string> caveatsOn(const RunReport& run) {
  const auto verdict = verdictOn(run);
  std::vector<std::string> out;
  for (const ReportSection* section : reportSections()) {
    const std::string caveat = section->caveat ? section->caveat(run.measured) : "";
    if (caveat.empty()) continue;
    // "note: " or "WARNING: ", and what it says.
    const size_t colon = caveat.find(": ");
    const std::string_view says = std::string_view(caveat).substr(colon == std::string::npos ? 0 : colon + 2);
    if (!verdict || verdict->text.find(says) == std::string::npos) out.push_back(printable(caveat));
  }
  return out;
}

}  // namespace amdahlc

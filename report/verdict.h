/// The verdict on a run: what takes its time, and how far its numbers can be trusted, in one line.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace amdahlc {

struct Verdict {
  /// The lowest of all sections.
  TrustLevel trust = TrustLevel::Full;
  /// Printable, without a line break. Has no shares if there is no trust: they would be numbers of another model.
  std::string text;
  /// What the user can do about the reasons, as sentences without a period; printable.
  std::vector<std::string> advice = {};
};

/// In JSON: `full`, `limited`, `none`.
std::string_view name(TrustLevel level);

/// nullopt without times.
std::optional<Verdict> verdictOn(const RunReport& run);

/// The sentences of sections that restrict all numbers of the run, without those that the verdict has already.
/// Printable.
std::vector<std::string> caveatsOn(const RunReport& run);

}  // namespace amdahlc

#include "support/absence.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <string_view>

namespace amdahlc {

std::string describe(const Absence& absence) {
  /// In the order of the enumerators.
  static constexpr std::string_view kClauses[] = {
#define AMDAHLC_ABSENCE(REASON, CLAUSE) CLAUSE,
#include "support/absences.def"
  };
  fmt::dynamic_format_arg_store<fmt::format_context> arguments;
  for (const std::string& argument : absence.arguments) arguments.push_back(argument);
  return fmt::vformat(kClauses[static_cast<size_t>(absence.reason)], arguments);
}

}  // namespace amdahlc

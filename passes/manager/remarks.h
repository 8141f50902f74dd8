/// Which remarks of which passes are requested: `-Rpass=`, `-Rpass-missed=`, `-Rpass-analysis=`, each with a regular
/// expression for pass names.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "passes/manager/pass.h"
#include "support/diagnostic.h"

namespace re2 {
class RE2;
}

namespace amdahlc {

class RemarkFilter {
 public:
  /// Searches (unanchored) for `pattern` in a pass's name. Returns the error of an invalid regular expression.
  std::optional<std::string> enable(RemarkKind kind, const std::string& pattern);
  /// One bit per kind, for `PassContext::setWantedRemarks`.
  uint8_t wanted(std::string_view pass) const;

 private:
  std::shared_ptr<re2::RE2> patterns_[3];
};

void reportRemark(std::string_view pass, RemarkKind kind, Location location, const std::string& message,
                  DiagnosticEngine& diagnostics);

}  // namespace amdahlc

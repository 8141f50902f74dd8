#include "passes/manager/remarks.h"

#include <re2/re2.h>

namespace amdahlc {

std::optional<std::string> RemarkFilter::enable(RemarkKind kind, const std::string& pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto compiled = std::make_shared<re2::RE2>(pattern, options);
  if (!compiled->ok()) return compiled->error();
  patterns_[static_cast<size_t>(kind)] = std::move(compiled);
  return std::nullopt;
}

uint8_t RemarkFilter::wanted(std::string_view pass) const {
  uint8_t bits = 0;
  for (size_t kind = 0; kind < 3; ++kind)
    if (patterns_[kind] && re2::RE2::PartialMatch(re2::StringPiece(pass.data(), pass.size()), *patterns_[kind]))
      bits |= static_cast<uint8_t>(1u << kind);
  return bits;
}

void reportRemark(std::string_view pass, RemarkKind kind, Location location, const std::string& message,
                  DiagnosticEngine& diagnostics) {
  const DiagId id = kind == RemarkKind::Passed   ? DiagId::PassRemark
                    : kind == RemarkKind::Missed ? DiagId::PassRemarkMissed
                                                 : DiagId::PassRemarkAnalysis;
  diagnostics.remark(id, std::move(location), std::string(pass) + ": " + message);
}

}  // namespace amdahlc

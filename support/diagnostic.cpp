#include "support/diagnostic.h"

#include <exception>
#include <utility>

namespace amdahlc {

std::string_view name(DiagId id) {
  static constexpr std::string_view kSpellings[] = {
#define AMDAHLC_DIAG(ID, SPELLING) SPELLING,
#include "support/diagnostics.def"
  };
  return kSpellings[static_cast<size_t>(id)];
}

DiagnosticEngine::InFlight::~InFlight() noexcept(false) {
  // Where an exception passes through, the diagnostic may be incomplete, and a second exception would end the process.
  if (engine_ && std::uncaught_exceptions() == exceptions_) engine_->report(diagnostic_);
}

DiagnosticEngine::InFlight& DiagnosticEngine::InFlight::label(std::string text) {
  diagnostic_.primary.text = std::move(text);
  return *this;
}

DiagnosticEngine::InFlight& DiagnosticEngine::InFlight::secondary(Location location, std::string text) {
  diagnostic_.secondary.push_back({std::move(location), std::move(text)});
  return *this;
}

std::string_view FixIt::shown() const {
  const size_t first = replacement.find_first_not_of(' ');
  if (first == std::string::npos) return replacement;
  return std::string_view(replacement).substr(first, replacement.find_last_not_of(' ') + 1 - first);
}

DiagnosticEngine::InFlight& DiagnosticEngine::InFlight::note(std::string text) {
  diagnostic_.notes.push_back(std::move(text));
  return *this;
}

DiagnosticEngine::InFlight& DiagnosticEngine::InFlight::fix(SourceRange range, std::string replacement) {
  diagnostic_.fix = FixIt{range, std::move(replacement)};
  return *this;
}

static Diagnostic make(Severity severity, DiagId id, Location location, std::string message) {
  return {severity, id, std::move(message), {std::move(location), {}}, {}, {}, {}};
}

DiagnosticEngine::InFlight DiagnosticEngine::error(DiagId id, Location location, std::string message) {
  return {*this, make(Severity::Error, id, std::move(location), std::move(message))};
}

DiagnosticEngine::InFlight DiagnosticEngine::warning(DiagId id, Location location, std::string message) {
  return {*this, make(Severity::Warning, id, std::move(location), std::move(message))};
}

DiagnosticEngine::InFlight DiagnosticEngine::remark(DiagId id, Location location, std::string message) {
  return {*this, make(Severity::Remark, id, std::move(location), std::move(message))};
}

void DiagnosticEngine::report(const Diagnostic& diagnostic) {
  size_t count = 0;
  if (diagnostic.severity == Severity::Error) count = ++errors_;
  if (diagnostic.severity == Severity::Warning) count = ++warnings_;
  if (!sink_) return;
  if (count <= limit_) sink_(diagnostic);
  if (count > limit_ && count - limit_ == 1)
    sink_(make(
        diagnostic.severity, DiagId::TooManyDiagnostics, {},
        diagnostic.severity == Severity::Error ? "further errors are not shown" : "further warnings are not shown"));
}

}  // namespace amdahlc

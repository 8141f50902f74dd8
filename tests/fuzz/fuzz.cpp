#include "fuzz.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <variant>
#include <vector>

#include "report/outputs/output.h"
#include "support/utf8.h"

namespace amdahlc::fuzz {
namespace {

std::vector<Target>& registered() {
  static std::vector<Target> targets;
  return targets;
}

/// The first part of a long text, for messages.
std::string shortened(std::string_view text) {
  constexpr size_t kMost = 2000;
  return text.size() <= kMost ? std::string(text) : std::string(text.substr(0, kMost)) + "...";
}

/// The offset of the first character that a terminal would obey, or npos.
size_t findControl(std::string_view text, bool isCsv) {
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n' || c == '\t' || (isCsv && c == '\r')) continue;
    if (utf8::controlLength(text.substr(at)) != 0) return at;
  }
  return std::string_view::npos;
}

void requirePrintable(std::string_view what, std::string_view text, bool isCsv = false) {
  const size_t at = findControl(text, isCsv);
  if (at == std::string_view::npos) return;
  const std::string_view around = text.substr(at > 40 ? at - 40 : 0, 80);
  require(false, fmt::format("{} has a control character at byte {}, near `{}`", what, at, around));
}

/// Whether an error of this id needs no place: it is about errors before it.
bool isAboutOthers(DiagId id) { return id == DiagId::TooManyDiagnostics; }

void requirePlace(const Diagnostic& diagnostic, const std::string& text, const SourceManager& sources) {
  if (diagnostic.severity == Severity::Error && !isAboutOthers(diagnostic.id))
    require(!std::holds_alternative<std::monostate>(diagnostic.primary.location), "an error without a place: " + text);
  const auto check = [&](const Location& location) {
    const auto* range = std::get_if<SourceRange>(&location);
    if (range == nullptr) return;
    require(range->buffer < sources.size(), "a place in no text: " + text);
    require(range->begin <= range->end && range->end <= sources.text(range->buffer).size(),
            fmt::format("a place outside of its text, bytes {} to {}: {}", range->begin, range->end, text));
  };
  check(diagnostic.primary.location);
  for (const Label& label : diagnostic.secondary) check(label.location);
  if (diagnostic.fix) check(diagnostic.fix->range);
}

}  // namespace

Run::Run()
    : diagnostics(
          [this](const Diagnostic& diagnostic) {
            const std::string text = render(diagnostic, sources, false);
            requirePlace(diagnostic, text, sources);
            requirePrintable("a diagnostic", text);
            transcript_ += text;
          },
          DiagnosticEngine::kMaxShown) {}

void Run::output(std::string_view kind, std::string_view text) {
  const Output* known = findOutput(kind);
  requirePrintable(fmt::format("output `{}`", kind), text, known != nullptr && known->isCsv);
  transcript_.append(kind).append("\n").append(text);
}

void require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", shortened(what).c_str());
  std::abort();
}

DiagnosticEngine noErrors(const SourceManager& sources, std::string_view doing) {
  return DiagnosticEngine([&sources, doing = std::string(doing)](const Diagnostic& diagnostic) {
    if (diagnostic.severity == Severity::Error) require(false, doing + ": " + render(diagnostic, sources, false));
  });
}

Registration::Registration(Target target) { registered().push_back(target); }

const Target* findTarget(std::string_view name) {
  for (const Target& target : registered())
    if (target.name == name) return &target;
  return nullptr;
}

void fuzzWithChecks(const Target& target, std::string_view input, bool repeat) noexcept {
  Run first;
  target.fuzzOne(input, first);
  if (!repeat) return;
  Run second;
  target.fuzzOne(input, second);
  if (first.transcript() != second.transcript())
    require(false, "the second run differs; first:\n" + first.transcript() + "\nsecond:\n" + second.transcript());
}

uint64_t hashOf(std::string_view bytes) {
  // FNV-1a.
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash ^ hash >> 32;
}

std::string memoryFile(std::string_view bytes, size_t slot) {
  // Kept open, so that a slot has the same path in all runs: paths are part of messages.
  static std::vector<int> slots;
  while (slots.size() <= slot) {
    slots.push_back(memfd_create("input", MFD_CLOEXEC));
    require(slots.back() >= 0, "no file in memory can be made");
  }
  const int file = slots[slot];
  require(ftruncate(file, 0) == 0, "a file in memory cannot be emptied");
  const ssize_t written = pwrite(file, bytes.data(), bytes.size(), 0);
  require(written == static_cast<ssize_t>(bytes.size()), "a file in memory cannot be written");
  return fmt::format("/proc/self/fd/{}", file);
}

}  // namespace amdahlc::fuzz

/// Reading traces in tests, and the shared test data.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <optional>
#include <string>

#include "runs/trace/reader.h"
#include "support/file.h"

namespace amdahlc::testing {

/// A trace read from text, with its diagnostics.
struct Read {
  std::optional<Timeline> timeline;
  std::string reported;
};

inline Read readText(std::string_view bytes, const TraceSelection& selection = {}, const std::string& file = "t.json") {
  Read out;
  const SourceManager sources;
  DiagnosticEngine engine([&](const Diagnostic& diagnostic) { out.reported += render(diagnostic, sources, false); });
  trace::TraceReadOptions options;
  options.selection = selection;
  out.timeline = trace::readTraceBytes(bytes, file, options, engine);
  CHECK(out.timeline.has_value() != engine.hasErrors());
  return out;
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// How often a problem of the data was noted; 0 if it was not.
inline int64_t countOf(const Timeline& timeline, std::string_view problem) {
  for (const DataProblem& known : timeline.problems)
    if (known.name == problem) return known.count;
  return 0;
}

inline std::optional<std::string> sharedFile(const std::string& path) {
  const std::filesystem::path full = std::filesystem::path("../shared") / path;
  if (!std::filesystem::exists(full)) {
    MESSAGE("skipped: no ../shared/", path);
    return std::nullopt;
  }
  DiagnosticEngine engine;
  auto bytes = readFile(full, uint64_t{1} << 32, engine);
  CHECK(bytes.has_value());
  return bytes;
}

}  // namespace amdahlc::testing

/// Reading traces in tests, and the shared test data.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runs/trace/reader.h"
#include "support/file.h"
#include "tests/unit/replay/timeline/timeline_fixture.h"

namespace amdahlc::testing {

/// A trace read from text, with its diagnostics.
struct Read {
  std::optional<Timeline> timeline;
  std::string reported;
};

/// What `read(diagnostics)` returns.
template <typename Reading>
Read readBy(const Reading& read) {
  Read out;
  const SourceManager sources;
  DiagnosticEngine engine([&](const Diagnostic& diagnostic) { out.reported += render(diagnostic, sources, false); });
  out.timeline = read(engine);
  CHECK(out.timeline.has_value() != engine.hasErrors());
  return out;
}

inline Read readText(std::string_view bytes, const TraceSelection& selection = {}, const std::string& file = "t.json") {
  return readBy([&](DiagnosticEngine& engine) { return trace::readTraceBytes(bytes, file, {"", selection}, engine); });
}

inline Read readFiles(const std::vector<std::string>& paths) {
  return readBy([&](DiagnosticEngine& engine) { return trace::readTrace(paths, {}, engine); });
}

inline bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

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

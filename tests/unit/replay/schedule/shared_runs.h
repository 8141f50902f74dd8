/// Recorded runs that can be replayed.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "replay/schedule/run_schedule.h"
#include "runs/trace/reader.h"

namespace amdahlc::testing {

/// The runs in `../shared/traces` that can be replayed, with their files.
inline std::vector<std::pair<std::string, Timeline>> sharedRuns() {
  std::vector<std::pair<std::string, Timeline>> runs;
  const std::filesystem::path root = "../shared/traces";
  if (!std::filesystem::is_directory(root)) {
    MESSAGE("skipped: no ../shared/traces");
    return runs;
  }
  std::vector<std::filesystem::path> files;
  for (const char* const folder : {"h100", "mi300", "hta", "misc"})
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    DiagnosticEngine diagnostics;
    auto timeline = trace::readTrace({file.string()}, {"run", StepSelection::All}, diagnostics);
    if (timeline && !schedule::absenceOfSchedule(*timeline))
      runs.emplace_back(file.filename().string(), std::move(*timeline));
  }
  CHECK(runs.size() >= 15);
  return runs;
}

}  // namespace amdahlc::testing

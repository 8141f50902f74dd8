/// Exports of Nsight Systems, as a file and as bytes in memory: both give the same.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "runs/trace/reader.h"
#include "traces.h"

namespace amdahlc::fuzz {
namespace {

/// A file of this process. One in memory will not do: SQLite opens what its link points to, which is no path.
const std::string& filePath() {
  static const std::string path =
      (std::filesystem::temp_directory_path() / ("fuzz_trace_nsys." + std::to_string(getpid()))).string();
  [[maybe_unused]] static const int removed = std::atexit([] { std::filesystem::remove(filePath()); });
  return path;
}

void fuzzTraceNsys(std::string_view input, Run& run) {
  readAndReport(input, run);
  // SQLite reads a file in place by other code than bytes in memory. The path is part of messages only.
  std::ofstream file(filePath(), std::ios::binary);
  file << input;
  file.close();
  require(file.good(), "the file of the target cannot be written");
  std::string said;
  DiagnosticEngine reading([&](const Diagnostic& diagnostic) { said += render(diagnostic, run.sources, false); });
  const auto inPlace = trace::readTrace({filePath()}, {"run", selectionFor(input)}, reading);
  if (inPlace.has_value() == run.diagnostics.hasErrors())
    require(false, "a file in place reads otherwise than its bytes: " + said);
}

const Registration kTraceNsys(
    {.name = "trace_nsys", .fuzzOne = fuzzTraceNsys, .mutate = mutateDatabase, .mutations = 500});

}  // namespace
}  // namespace amdahlc::fuzz

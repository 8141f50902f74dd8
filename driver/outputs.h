/// The outputs of the command. Destinations are checked before the passes run, and written after they succeeded.
#pragma once

#include <string>
#include <vector>

#include "driver/settings.h"
#include "passes/manager/pass.h"
#include "passes/manager/pipeline.h"
#include "passes/manager/registry.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::driver {

/// What is printed instead of outputs, if an option asks a pass to explain something.
inline constexpr std::string_view kExplanation = "explanation";

/// An output and where it goes: a path, or `-` for stdout.
struct Destination {
  std::string what;
  std::string path;
  /// No path was given; it goes to `-o`, or stdout.
  bool unnamed = false;
  /// The path is a folder, which is made if it is missing.
  bool isFolder = false;
};

/// The destination of an output: `path`, else `-o`, else stdout.
std::string destinationOf(const std::string& path, const Settings& settings);

/// Outputs that the passes of a pipeline render, or the IR if no pass renders outputs, and the dumps of `-print-to`.
std::vector<Destination> plannedDestinations(const Pipeline& pipeline, const Settings& settings,
                                             const PassRegistry& registry);

/// Files that this run reads: those in the settings, and every source file (rules, options, IR text).
std::vector<std::string> inputFiles(const Settings& settings, const SourceManager& sources);

/// Reports outputs that share a file or stdout, outputs that would replace one of `inputs` (by any path or link), and
/// files that cannot be written.
ExitCode checkDestinations(const std::vector<Destination>& destinations, const std::vector<std::string>& inputs,
                           DiagnosticEngine& diagnostics);

/// `-csv-safe`: takes what a spreadsheet would compute out of the tables among the outputs.
void guardTables(std::vector<Artifact>& artifacts, const PassRegistry& registry);

/// Writes the dumps as `writeDumps` does, then all outputs or none of them.
ExitCode writeOutputs(const std::vector<Artifact>& artifacts, const std::string& dumps, const Settings& settings,
                      const SourceManager& sources, DiagnosticEngine& diagnostics);

/// Writes `dumps` to the file of `-print-to`, if given. A failed run also writes its dumps.
bool writeDumps(const std::string& dumps, const Settings& settings, const SourceManager& sources,
                DiagnosticEngine& diagnostics);

}  // namespace amdahlc::driver

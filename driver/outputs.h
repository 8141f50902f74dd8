/// The outputs of the command. Destinations are checked before the passes run, and written after they succeeded.
#pragma once

#include <string>
#include <vector>

#include "api/analysis.h"
#include "driver/settings.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::driver {

/// An output and where it goes: a path, or `-` for stdout.
struct Destination {
  std::string what;
  std::string path;
  /// No path was given; it goes to `-o`, or stdout.
  bool unnamed = false;
  /// The path is a folder, which is made if it is missing.
  bool isFolder = false;
};

/// Outputs that an analysis will render, and the dumps of `-print-to`.
std::vector<Destination> plannedDestinations(const api::Analysis& analysis, const Settings& settings);

/// Files that are read: those in the request, and every source file (rules, options, IR text).
std::vector<std::string> inputFiles(const api::Request& request, const SourceManager& sources);

/// Reports outputs that share a file or stdout, outputs that would replace one of `inputs` (by any path or link), and
/// files that cannot be written.
Outcome checkDestinations(const std::vector<Destination>& destinations, const std::vector<std::string>& inputs,
                          DiagnosticEngine& diagnostics);

/// Writes the dumps as `writeDumps` does, then all outputs or none of them. No output replaces one of `inputs`.
Outcome writeOutputs(const std::vector<Artifact>& artifacts, const std::string& dumps, const Settings& settings,
                     const std::vector<std::string>& inputs, DiagnosticEngine& diagnostics);

/// Writes `dumps` to the file of `-print-to`, if given. A failed run also writes its dumps.
bool writeDumps(const std::string& dumps, const Settings& settings, const std::vector<std::string>& inputs,
                DiagnosticEngine& diagnostics);

}  // namespace amdahlc::driver

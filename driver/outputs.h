/// What the command writes: decided before the passes run, written after they succeeded.
#pragma once

#include <string>
#include <vector>

#include "driver/settings.h"
#include "passes/manager/pass.h"
#include "passes/manager/pipeline.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::driver {

/// An output and where it goes: a path, or `-` for stdout.
struct Destination {
  std::string what;
  std::string path;
  /// No path was asked for: it is that of `-o`, or stdout.
  bool unnamed = false;
};

/// Where an output asked for with `path` goes: there, else to `-o`, else to stdout.
std::string destinationOf(const std::string& path, const Settings& settings);

/// Outputs that the passes of a pipeline render, or the IR where none renders any, and the dumps of `-print-to`.
std::vector<Destination> plannedDestinations(const Pipeline& pipeline, const Settings& settings);

/// Files that this run reads: what the settings name, and every file whose text was read as a source (rules, options,
/// IR text).
std::vector<std::string> inputFiles(const Settings& settings, const SourceManager& sources);

/// Reports outputs that share a file or stdout, that would replace one of `inputs` (by whatever path or link), and
/// files that cannot be written, before time is spent.
ExitCode checkDestinations(const std::vector<Destination>& destinations, const std::vector<std::string>& inputs,
                           DiagnosticEngine& diagnostics);

/// Writes the dumps as `writeDumps` does, then all outputs or none of them.
ExitCode writeOutputs(const std::vector<Artifact>& artifacts, const std::string& dumps, const Settings& settings,
                      const SourceManager& sources, DiagnosticEngine& diagnostics);

/// Writes `dumps` to where `-print-to` says, if anywhere. A run that failed writes its dumps, too.
bool writeDumps(const std::string& dumps, const Settings& settings, const SourceManager& sources,
                DiagnosticEngine& diagnostics);

}  // namespace amdahlc::driver

/// What the command writes: decided before the passes run, written after they succeeded.
#pragma once

#include <string>
#include <vector>

#include "driver/settings.h"
#include "passes/manager/pass.h"
#include "passes/manager/pipeline.h"
#include "support/diagnostic.h"

namespace amdahlc::driver {

/// A output and where it goes: a path, or `-` for stdout.
struct Destination {
  std::string what;
  std::string path;
  bool unnamed = false;  ///< no path was asked for: that of `-o`, or stdout
};

/// Where an output asked for with `path` goes: there, else to `-o`, else to stdout.
std::string destinationOf(const std::string& path, const Settings& settings);

/// Outputs of a pipeline's `emit` passes, or the IR where it has none, and the dumps of `-print-to`.
std::vector<Destination> plannedDestinations(const Pipeline& pipeline, const Settings& settings);

/// Reports outputs that share a file or stdout, and files that cannot be written, before time is spent.
ExitCode checkDestinations(const std::vector<Destination>& destinations, DiagnosticEngine& diagnostics);

/// Writes the dumps as `writeDumps` does, then all outputs or none of them.
ExitCode writeOutputs(const std::vector<Artifact>& artifacts, const std::string& dumps, const Settings& settings,
                      DiagnosticEngine& diagnostics);

/// Writes `dumps` to where `-print-to` says, if anywhere. Dumps are no output: a run that failed writes them too.
bool writeDumps(const std::string& dumps, const Settings& settings, DiagnosticEngine& diagnostics);

/// `kind` and `path` of the value of an `emit` product, `json=report.json`.
std::pair<std::string, std::string> splitOutput(const std::string& output);

}  // namespace amdahlc::driver

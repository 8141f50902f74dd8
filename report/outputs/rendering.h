/// Renders outputs: the pass `emit` does so in a pipeline, and a front end without one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/outputs/output_options.h"
#include "report/outputs/output_requests.h"
#include "support/diagnostic.h"

namespace amdahlc {

/// Bytes for the front end to write, because passes open no files.
struct Artifact {
  std::string kind;
  /// As in `OutputRequest`.
  std::string path;
  std::string bytes;
  /// The folder of `path` if it is to be made; else empty.
  std::string folder = {};
};

/// What outputs need besides the module. The front end asks the analysis manager for it before the passes run
/// (`AnalysisManager::request`), so that the pass framework knows nothing of it.
struct Rendering {
  struct Options {
    /// Of outputs for people.
    TextStyle style = {};
    /// Of `-baseline`, or null. Not owned, as the two below.
    const comparison::Baseline* baseline = nullptr;
    /// The ranks of the run, or null.
    const ranks::RankComparison* ranks = nullptr;
    /// Tables have nothing that a spreadsheet would compute.
    bool isCsvSafe = false;
    /// Gets what `emit` renders; null: nothing is rendered.
    std::vector<Artifact>* artifacts = nullptr;
    friend bool operator==(const Options&, const Options&) = default;
  };
};

/// Renders an output with these options and its own. If there is one document for each run and there are several runs,
/// each path gets the run's label: `out.csv` becomes `out.h100.csv`, `out.json.gz` becomes `out.h100.json.gz`. The
/// names of several documents of a run come behind it: `out.h100.kernels.json`. In a folder, the label is a part of the
/// name of each file: `out/kernels.h100.config`. Reports `emit-output-unavailable` and returns nullopt if it cannot
/// write one of the runs. An output that needs no model reads `Module::timelines` or the ranks alone.
std::optional<std::vector<Artifact>> render(const OutputRequest& request, OutputOptions& options,
                                            const ir::Module& module, AnalysisManager& analyses,
                                            DiagnosticEngine& diagnostics);
/// The same of one output, where all that it needs is in the context.
std::optional<std::vector<Artifact>> renderOutput(const Output& output, const std::string& path,
                                                  const OutputContext& context, DiagnosticEngine& diagnostics);

}  // namespace amdahlc

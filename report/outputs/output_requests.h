/// Requested outputs: their text, and what a pipeline renders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "passes/manager/pipeline.h"
#include "report/outputs/output.h"
#include "support/diagnostic.h"

namespace amdahlc {

/// The pass that renders outputs, its option that names them, and what it renders if none is named.
inline constexpr std::string_view kRenderingPass = "emit";
inline constexpr std::string_view kOutputOption = "output";
inline constexpr std::string_view kDefaultOutput = "summary";

struct OutputRequest {
  std::string kind;
  /// Empty for `-o`, or else stdout; `-` for stdout.
  std::string path;
  /// Of this output alone.
  std::vector<PipelineParameter> settings = {};
};

/// Whether a text of the form `kind`, `kind<option=value;flag>`, or both with `=path`, names an output and options that
/// it takes. Reports what is wrong; an empty path as `emptyPath`. `where` is the place of the text.
bool checkOutputRequest(std::string_view text, SourceRange where, DiagId emptyPath, DiagnosticEngine& diagnostics);
/// Parses a text that was checked.
OutputRequest parseOutputRequest(std::string_view text);

/// A requested output of a pass; the default output has no parameter.
struct PlannedOutput {
  const Output& output;
  OutputRequest request;
  const PipelineParameter* parameter = nullptr;
};
/// Empty for a pass that does not render outputs.
std::vector<PlannedOutput> plannedOutputs(const PlannedPass& planned);
/// Of all passes, in their order.
std::vector<PlannedOutput> plannedOutputs(const Pipeline& pipeline);

/// The passes whose findings an output shows, of its text, where the graph is a model, or the program of runs.
std::vector<std::string> passesOfOutput(std::string_view text, bool isOfProgram);

}  // namespace amdahlc

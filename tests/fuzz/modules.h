/// Properties of modules: what the fuzz targets that make one check.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fuzz.h"
#include "ir/module.h"
#include "report/outputs/rendering.h"

namespace amdahlc::fuzz {

/// The module's invariants hold; its text can be read, and prints as the same bytes.
void requireRoundTrip(const ir::Module& module, Run& run);

/// Runs a pipeline. After each pass the invariants hold, an unchanged module is unchanged, and cached analyses are what
/// a new computation gives. Outputs go to the run, and are returned.
std::vector<Artifact> runPasses(std::string_view pipeline, ir::Module& module, Run& run);

/// Runs all passes that the module needs for all outputs, on a run and with a scenario. Then the module must survive a
/// round trip.
void analyse(ir::Module& module, Timeline timeline, Run& run);

/// The model in `tests/fuzz/models`, before any pass.
ir::Module importedBlock();
/// The IR text of that model, grouped by rules. Grouping does not depend on the trace, and takes longer than what
/// follows.
std::string groupedBlock(ir::RuleSet rules);

/// Reads IR text that must be good.
ir::Module parsed(std::string_view text);

/// The content of a file of the project, such as `tests/fuzz/models/block.onnxtxt`.
std::string projectFile(std::string_view path);

}  // namespace amdahlc::fuzz

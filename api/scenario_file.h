/// `-what-if=file`: scenarios as JSON or YAML.
///
///     {"speedups": [{"op_id": "2", "speedup": 2}, {"op_type": "add-normalization", "speedup": 2}]}
///
/// is the format of amdahl4ml. Each entry has one selector and one new time:
/// - selector: a key of `ir::selectorKeys`, such as `op_id` (kernel id) or `op_type` (as `-what-if=` takes it);
/// - new time: `speedup` (a number: so many times as fast) or `time` (`10us` per iteration, or 0).
///
/// `{"change": "fuse(sdpa)"}` is any change, as `-what-if=` takes it.
///
/// The scenario is named by `name`, or by the file without folders and extension. With `wall_model: idle-constant` it
/// is predicted by arithmetic that keeps idle time.
/// `{"scenarios": [{"name": ..., "speedups": [...]}, ...]}` holds several.
#pragma once

#include <string>
#include <vector>

#include "ir/scenario.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::api {

struct PlacedScenario {
  ir::Scenario scenario;
  /// Where its name is written.
  SourceRange nameRange;
};

/// Reports every error; empty if there was one. `pathRange` is the place of the path, which may name a scenario.
std::vector<PlacedScenario> readScenarioFile(const std::string& path, SourceRange pathRange, SourceManager& sources,
                                             DiagnosticEngine& diagnostics);

}  // namespace amdahlc::api

/// `-speedups=file`: planned speed-ups as JSON or YAML.
///
///     {"speedups": [{"op_id": "2", "speedup": 2}, {"op_type": "add-normalization", "speedup": 2}]}
///
/// is the format of amdahl4ml. Each entry has one selector and one new time:
/// - selector: a key of `ir::selectorKeys`, such as `op_id` (kernel id) or `op_type` (as `-speedup=` takes it);
/// - new time: `speedup` (a number: so many times as fast) or `time` (`10us` per iteration, or 0).
///
/// `{"change": "fuse(sdpa)"}` is any change, as `-what-if=` takes it.
///
/// The scenario is named by `name`, or by the file without folders and extension.
/// `{"scenarios": [{"name": ..., "speedups": [...]}, ...]}` holds several.
#pragma once

#include <string>
#include <vector>

#include "ir/scenario.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::driver {

/// Reports every error; empty if there was one.
std::vector<ir::Scenario> readSpeedupFile(const std::string& path, SourceManager& sources,
                                          DiagnosticEngine& diagnostics);

}  // namespace amdahlc::driver

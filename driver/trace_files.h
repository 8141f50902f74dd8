/// The files that `-trace` names: of one run, or of its ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/settings.h"

namespace amdahlc::driver {

struct TracesOfRanks {
  /// In order of name.
  std::vector<std::string> files;
  /// The names of other files in the folder.
  std::vector<std::string> others;
};

/// The traces in a folder, by the endings of their names, or the files that a pattern of the shell matches
/// (`traces/rank*.json.gz`). nullopt if `path` is neither a folder nor a pattern, or names a file as it is.
std::optional<TracesOfRanks> tracesOfRanks(const std::string& path);

/// Makes traces that are labelled `rank0`, `rank1`, ... ranks of one run, if there are several, and adds the argument
/// that stands for the rank whose events are bound. Reports options for ranks without effect and returns false.
bool gatherRanks(Settings& settings, DiagnosticEngine& diagnostics);

/// Labels the runs whose labels are not written, by their files or folder, with a number behind a name that another run
/// has or that the command keeps for itself. Reports a written label of these kinds, and a file that is given twice
/// without labels, and returns false.
bool nameRuns(Settings& settings, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::driver

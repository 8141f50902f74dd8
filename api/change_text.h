/// Parses changes, as in `-what-if='linear=2x;fuse(sdpa)'`, and files of scenarios that have them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/scenario.h"
#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::api {

/// Reads a change of ir/changes.def, such as `fuse(sdpa)`, or `selector=new`. The selector is one that
/// `ir::parseSelector` reads. The new time: `2x` (so many times as fast; decimals and fractions too), `10us` (per
/// iteration, with any unit of time), or `0`. The last `=` is the separator. nullopt after an error of
/// grammar: whether the change makes sense, `ir::checkScenario` says of the scenario that gets it.
std::optional<ir::Change> readChange(const std::string& text, SourceRange range, DiagnosticEngine& diagnostics);

/// Reads a scenario, which is named by its text: changes with `;` between them, behind `<idle-constant>` if idle time
/// is to stay. A `;` that no whole change stands before belongs to the name of a node, or to a regular expression.
/// nullopt after an error.
std::optional<ir::Scenario> readScenario(const std::string& text, SourceRange range, DiagnosticEngine& diagnostics);

/// Whether a text that may be changes is the path of a file of them: it ends in `.json`, `.yaml` or `.yml`, or is `-`
/// for stdin. No change ends so, because it ends in a new time, in a parenthesis or in a name of changes.def.
bool isScenarioFile(std::string_view text);

/// Sets the fixed time of `change` from `10us` or `0`.
bool readTime(std::string_view text, SourceRange range, ir::Change& change, DiagnosticEngine& diagnostics);
/// Sets the factor from a number: so many times as fast.
bool readTimesAsFast(std::string_view number, SourceRange range, ir::Change& change, DiagnosticEngine& diagnostics);

/// Reports every error; empty if there was one. `pathRange` is the place of the path, which may name a scenario.
std::vector<ir::Scenario> readScenarioFile(const std::string& path, SourceRange pathRange, SourceManager& sources,
                                           DiagnosticEngine& diagnostics);

}  // namespace amdahlc::api

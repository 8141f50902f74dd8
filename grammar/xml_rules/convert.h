/// Converts pattern libraries of the predecessor, Amdahl4ML, from XML to `.akp`.
#pragma once

#include <optional>
#include <string>

#include "support/diagnostic.h"
#include "support/source.h"

namespace amdahlc::grammar::xml_rules {

/// The text of the `.akp` file that the XML file at `path` (`-`: stdin) becomes; it is checked as `-check-rules` would.
/// An entry that has no equal in `.akp` is reported as an error and is a comment of the text. nullopt, after an error,
/// if the file is no such library, or if nothing of it can be converted.
std::optional<std::string> convertLibrary(const std::string& path, SourceManager& sources,
                                          DiagnosticEngine& diagnostics);

}  // namespace amdahlc::grammar::xml_rules

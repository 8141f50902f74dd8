/// The test of a kernel's name in `.akp` that accepts what a regular expression of the XML library accepts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "grammar/xml_rules/xml_document.h"
#include "support/diagnostic.h"

namespace amdahlc::grammar::xml_rules {

/// An expression such as `/a/ and not /b/`. Every look-around is reported: one that is left out or rewritten as a
/// remark, one that can be neither as an error. nullopt after an error. `budget`: the states that may still be compared
/// to decide.
std::optional<std::string> kernelTest(const XmlText& regex, size_t& budget, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::grammar::xml_rules

/// What an entry of a library holds that no reader looks at.
#pragma once

#include "grammar/xml_rules/xml_document.h"
#include "support/diagnostic.h"

namespace amdahlc::grammar::xml_rules {

/// Warns about attributes, text and elements within an entry that have no effect. Tags that no entry has are others'
/// to report.
void warnUnread(const XmlNode& entry, DiagnosticEngine& diagnostics);
/// The same, of the element around all entries itself.
void warnUnreadOfRoot(const XmlNode& root, DiagnosticEngine& diagnostics);

}  // namespace amdahlc::grammar::xml_rules

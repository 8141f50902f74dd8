/// A pattern library of the predecessor as data: what its entries are, what else the file holds, and where.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/xml_rules/xml_document.h"
#include "support/diagnostic.h"

namespace amdahlc::grammar::xml_rules {

/// The kinds of entries, by their tags below the root.
enum class EntryKind : uint8_t { Miscellaneous, Hidden, Single, Group };

struct Entry {
  EntryKind kind = EntryKind::Miscellaneous;
  const XmlNode* element = nullptr;
  /// Of a rule.
  std::string name;
  SourceRange nameRange;
  /// The operator of the others and of a single one.
  XmlText operatorType;
  /// Of a rule.
  XmlText kernelRegex;
  /// Of a group: what stands in `nodes`.
  const XmlNode* pattern = nullptr;
  /// Lines of comments about it.
  std::vector<std::string> doc;
  /// Lines that stand before it and are not about it: headings, and rules that are switched off.
  std::vector<std::string> before;
};

struct Library {
  /// In the order of the text.
  std::vector<Entry> entries;
  /// Lines before the first entry and behind the last one.
  std::vector<std::string> before, behind;
  /// Miscellaneous and hidden operators that are switched off, as lines. Other entries are in `Entry::before`.
  std::map<EntryKind, std::vector<std::string>> switchedOff;
};

/// Reads the entries. Reports those that are switched off as warnings, and those that lack something as errors; both
/// are lines of comments in the result. Reports a file without entries.
Library readLibrary(const XmlDocument& document, const SourceManager& sources, DiagnosticEngine& diagnostics);

/// The lines of a text without the indentation that they share and without empty ones at the ends. The first line is
/// taken to have it too.
std::vector<std::string> linesOf(std::string_view text);
/// Those of an element with its tags.
std::vector<std::string> sourceLines(const XmlNode& node, const SourceManager& sources);

}  // namespace amdahlc::grammar::xml_rules

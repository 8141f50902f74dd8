/// The report page as one file of HTML that needs no other: a summary to read without a script, the data in elements
/// that are inert, and the script that shows it. Nothing in it asks a network for anything, and its Content Security
/// Policy forbids it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/page/encoding.h"
#include "support/absence.h"

namespace amdahlc::page {

struct Document {
  /// Text.
  std::string title;
  /// HTML, the content of the section Summary.
  std::string summary;
  /// The bytes of the report as JSON.
  std::string_view report;
  /// JSON: an array of what the page is told of each run beside the report.
  std::string runs;
  std::vector<NamedColumn> columns;
};

/// Why no page can be written; nullopt if it can.
std::optional<Absence> absenceOfPage();
/// Whether this build has the module with which pages replay runs.
bool hasReplay();

/// Precondition: `absenceOfPage` is nullopt.
std::string write(const Document& document);

/// Text as content of an element and as the value of an attribute in quotes. It is on one line, and what no
/// page should hold, such as a control character, is a question mark.
std::string escaped(std::string_view text);

}  // namespace amdahlc::page

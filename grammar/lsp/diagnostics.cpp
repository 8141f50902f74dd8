#include <fmt/format.h>

#include <map>
#include <string>

#include "grammar/lsp/feature.h"
#include "support/plural.h"
#include "support/printable.h"

namespace amdahlc::lsp {
namespace {

/// The protocol numbers the severities in the same order, from 1.
int severityValue(Severity severity) { return static_cast<int>(severity) + 1; }

constexpr int kUnnecessary = 1;

const SourceRange* rangeOf(const Location& location) { return std::get_if<SourceRange>(&location); }

std::string wordsOf(const Label& label) { return label.text.empty() ? "here" : label.text; }

/// What is said about a file that the document imports, at the import.
struct Imported {
  const grammar::Import* import = nullptr;
  size_t errors = 0;
  const Diagnostic* first = nullptr;
};

Json importedValue(const Client& client, const Analysis& analysis, const Imported& found) {
  const SourceRange place = *rangeOf(found.first->primary.location);
  std::string message =
      fmt::format("what this imports has {}; the first: {}", plural(found.errors, "error"), found.first->message);
  Json value{{"range", rangeValue(analysis.place(found.import->range))},
             {"severity", severityValue(found.first->severity)},
             {"source", "amdahlc"},
             {"code", name(found.first->id)}};
  const FilePlace where = analysis.place(place);
  if (client.relatedInformation)
    value["relatedInformation"] =
        Json::array({{{"location", locationValue(where)}, {"message", found.first->message}}});
  else
    message += fmt::format("\n{}:{}", where.uri, where.start.line + 1);
  value["message"] = std::move(message);
  return value;
}

}  // namespace

Json diagnosticValue(const Client& client, const Analysis& analysis, const Diagnostic& diagnostic) {
  const SourceRange* range = rangeOf(diagnostic.primary.location);
  Json value{{"range",
              range != nullptr && analysis.isInDocument(*range) ? rangeValue(analysis.place(*range)) : rangeValue({})},
             {"severity", severityValue(diagnostic.severity)},
             {"source", "amdahlc"},
             {"code", name(diagnostic.id)}};
  std::string message = diagnostic.message;
  // Of a file that could not be read, there is no place to show.
  if (const auto* other = std::get_if<FileLocation>(&diagnostic.primary.location))
    message = fmt::format("{}: {}", printable(other->file), message);
  if (!diagnostic.primary.text.empty()) message += "\n" + diagnostic.primary.text;
  Json related = Json::array();
  for (const Label& label : diagnostic.secondary) {
    const SourceRange* other = rangeOf(label.location);
    if (other == nullptr) continue;
    const FilePlace place = analysis.place(*other);
    if (client.relatedInformation)
      related.push_back({{"location", locationValue(place)}, {"message", wordsOf(label)}});
    else
      message += fmt::format("\n{}:{}: {}", place.uri, place.start.line + 1, wordsOf(label));
  }
  for (const std::string& note : diagnostic.notes) message += "\n" + note;
  if (!related.empty()) value["relatedInformation"] = std::move(related);
  if (client.diagnosticTags && diagnostic.id == DiagId::AkpUnused) value["tags"] = {kUnnecessary};
  value["message"] = std::move(message);
  return value;
}

Json diagnosticsOf(Session& session, const Document& document) {
  const Analysis& analysis = session.workspace.analysis(document);
  Json list = Json::array();
  std::map<uint32_t, Imported> imported;
  for (const Diagnostic& diagnostic : analysis.diagnostics()) {
    const SourceRange* range = rangeOf(diagnostic.primary.location);
    if (range == nullptr || analysis.isInDocument(*range)) {
      list.push_back(diagnosticValue(session.client, analysis, diagnostic));
      continue;
    }
    // Its file shows it by itself, once it is open.
    const grammar::Import* import = analysis.importOf(range->buffer);
    if (import == nullptr) continue;
    // Warnings of a shared file are for those who have it open.
    if (diagnostic.severity != Severity::Error) continue;
    Imported& sum = imported[import->range.begin];
    sum.import = import;
    if (sum.first == nullptr) sum.first = &diagnostic;
    ++sum.errors;
  }
  for (const auto& [begin, found] : imported) list.push_back(importedValue(session.client, analysis, found));
  Json params{{"uri", document.uri}, {"diagnostics", std::move(list)}};
  if (session.client.diagnosticVersions) params["version"] = document.version;
  return params;
}

}  // namespace amdahlc::lsp

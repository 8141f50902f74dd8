#include <fmt/format.h>

#include <string_view>

#include "grammar/lsp/feature.h"

namespace amdahlc::lsp {
namespace {

constexpr std::string_view kQuickFix = "quickfix";

bool wantsQuickFixes(const Json& params) {
  const Json* only = find(params, "context.only");
  // A kind stands for those that it is a prefix of, the empty one for all.
  return only == nullptr || !only->is_array() || lists(params, "context.only", kQuickFix) ||
         lists(params, "context.only", "");
}

std::string title(std::string_view old, std::string_view replacement) {
  if (old.empty()) return fmt::format("Insert `{}`", replacement);
  if (replacement.empty()) return fmt::format("Remove `{}`", old);
  return fmt::format("Replace `{}` with `{}`", old, replacement);
}

Json editOf(const Session& session, const Document& document, const FilePlace& place, const std::string& text) {
  Json edits = Json::array({{{"range", rangeValue(place)}, {"newText", text}}});
  if (!session.client.documentChanges) return {{"changes", {{document.uri, std::move(edits)}}}};
  return {{"documentChanges", Json::array({{{"textDocument", {{"uri", document.uri}, {"version", document.version}}},
                                            {"edits", std::move(edits)}}})}};
}

}  // namespace

Json answerCodeAction(Session& session, const Json& params) {
  const Document& document = documentOf(session, params);
  const Position start = positionOf(params, "range.start");
  const Position end = positionOf(params, "range.end");
  Json actions = Json::array();
  // Other clients take commands only, and would have to be told to apply the edit.
  if (!session.client.codeActionLiterals || !wantsQuickFixes(params)) return actions;
  const Analysis& analysis = session.workspace.analysis(document);
  const uint32_t from = analysis.positions().offset(start);
  const uint32_t to = analysis.positions().offset(end);
  for (const Diagnostic& diagnostic : analysis.diagnostics()) {
    const auto* range = std::get_if<SourceRange>(&diagnostic.primary.location);
    if (!diagnostic.fix || range == nullptr || !analysis.isInDocument(*range) ||
        !analysis.isInDocument(diagnostic.fix->range))
      continue;
    const SourceRange fixed = diagnostic.fix->range;
    const bool touches = (range->begin <= to && from <= range->end) || (fixed.begin <= to && from <= fixed.end);
    if (!touches) continue;
    const std::string_view old = analysis.sources().text(fixed.buffer).substr(fixed.begin, fixed.end - fixed.begin);
    actions.push_back({{"title", title(old, diagnostic.fix->shown())},
                       {"kind", kQuickFix},
                       {"isPreferred", true},
                       {"diagnostics", Json::array({diagnosticValue(session.client, analysis, diagnostic)})},
                       {"edit", editOf(session, document, analysis.place(fixed), diagnostic.fix->replacement)}});
  }
  return actions;
}

}  // namespace amdahlc::lsp

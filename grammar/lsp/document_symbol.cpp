#include <algorithm>
#include <iterator>
#include <string_view>

#include "grammar/lsp/feature.h"

namespace amdahlc::lsp {
namespace {

using DeclarationKind = grammar::ast::Declaration::Kind;

// Kinds of the protocol.
constexpr int kFile = 1, kClass = 5, kEnum = 10, kFunction = 12;

struct SymbolKind {
  DeclarationKind of;
  int kind;
  std::string_view detail;
};
// Declarations of other kinds are no symbols.
constexpr SymbolKind kSymbols[] = {
    {DeclarationKind::Import, kFile, "import"},         {DeclarationKind::Class, kEnum, "class"},
    {DeclarationKind::Fragment, kFunction, "fragment"}, {DeclarationKind::Kernel, kClass, "kernel"},
    {DeclarationKind::Refine, kClass, "refine"},        {DeclarationKind::Lower, kFunction, "lower"},
};

}  // namespace

Json answerDocumentSymbol(Session& session, const Json& params) {
  const Document& document = documentOf(session, params);
  const Analysis& analysis = session.workspace.analysis(document);
  Json symbols = Json::array();
  if (analysis.file() == nullptr) return symbols;
  for (const grammar::ast::Declaration& declaration : analysis.file()->tree.declarations) {
    const auto* symbol = std::ranges::find(kSymbols, declaration.kind, &SymbolKind::of);
    if (symbol == std::end(kSymbols) || declaration.name.text.empty()) continue;
    Json value{{"name", declaration.name.text}, {"kind", symbol->kind}};
    if (session.client.hierarchicalSymbols) {
      value["detail"] = declaration.views ? "views" : symbol->detail;
      value["range"] = rangeValue(analysis.place(declaration.range));
      value["selectionRange"] = rangeValue(analysis.place(declaration.name.range));
    } else {
      value["location"] = locationValue(analysis.place(declaration.range));
    }
    symbols.push_back(std::move(value));
  }
  return symbols;
}

}  // namespace amdahlc::lsp

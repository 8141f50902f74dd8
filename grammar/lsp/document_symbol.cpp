#include <string_view>

#include "grammar/lsp/feature.h"

namespace amdahlc::lsp {
namespace {

using DeclarationKind = grammar::ast::Declaration::Kind;

// Kinds of the protocol.
constexpr int kFile = 1, kClass = 5, kEnum = 10, kFunction = 12;

struct Symbol {
  const grammar::ast::Name* name = nullptr;
  int kind = kFile;
  std::string_view detail;
};

/// A symbol without a name is none.
Symbol symbolOf(const grammar::ast::Declaration& declaration) {
  switch (declaration.kind) {
    case DeclarationKind::Import:
      return {&declaration.import, kFile, "import"};
    case DeclarationKind::Class:
      return {&declaration.operatorClass.name, kEnum, declaration.operatorClass.views ? "views" : "class"};
    case DeclarationKind::Fragment:
      return {&declaration.fragment.name, kFunction, "fragment"};
    case DeclarationKind::Kernel:
      return {&declaration.kernel.name, kClass, "kernel"};
    case DeclarationKind::Refine:
      return {&declaration.kernel.name, kClass, "refine"};
    case DeclarationKind::Applies:
    case DeclarationKind::Evidence:
    case DeclarationKind::Hidden:
    case DeclarationKind::Disable:
      break;
  }
  return {};
}

}  // namespace

Json answerDocumentSymbol(Session& session, const Json& params) {
  const Document& document = documentOf(session, params);
  const Analysis& analysis = session.workspace.analysis(document);
  Json symbols = Json::array();
  if (analysis.file() == nullptr) return symbols;
  for (const grammar::ast::Declaration& declaration : analysis.file()->tree.declarations) {
    const Symbol symbol = symbolOf(declaration);
    if (symbol.name == nullptr || symbol.name->text.empty()) continue;
    Json value{{"name", symbol.name->text}, {"kind", symbol.kind}};
    if (session.client.hierarchicalSymbols) {
      value["detail"] = symbol.detail;
      value["range"] = rangeValue(analysis.place(declaration.range));
      value["selectionRange"] = rangeValue(analysis.place(symbol.name->range));
    } else {
      value["location"] = locationValue(analysis.place(declaration.range));
    }
    symbols.push_back(std::move(value));
  }
  return symbols;
}

}  // namespace amdahlc::lsp

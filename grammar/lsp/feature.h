/// The requests about open documents, one file each. Private to this component.
#pragma once

#include <span>
#include <string_view>

#include "grammar/lsp/protocol.h"
#include "grammar/lsp/workspace.h"

namespace amdahlc::lsp {

/// What the client can do, beyond what every client can.
struct Client {
  bool relatedInformation = false;
  bool diagnosticVersions = false;
  bool diagnosticTags = false;
  bool documentChanges = false;
  bool codeActionLiterals = false;
  bool hierarchicalSymbols = false;
  bool hoverMarkdown = false;
  bool completionMarkdown = false;
  bool watchesFiles = false;
};
Client readClient(const Json& capabilities);

struct Session {
  Client client;
  Workspace workspace;
};

/// A request. To add one, write its function in a file of its own and its row in features.cpp.
struct Feature {
  std::string_view method;
  /// The key by which the server offers it, and the value as JSON text.
  std::string_view capability, offer;
  /// The result. Throws `InvalidParams`.
  Json (*answer)(Session& session, const Json& params);
};
std::span<const Feature> features();

Json answerCodeAction(Session& session, const Json& params);
Json answerCompletion(Session& session, const Json& params);
Json answerDefinition(Session& session, const Json& params);
Json answerDocumentSymbol(Session& session, const Json& params);
Json answerHover(Session& session, const Json& params);

/// The parameters of `textDocument/publishDiagnostics` for a document.
Json diagnosticsOf(Session& session, const Document& document);
/// One of them, as code actions repeat it.
Json diagnosticValue(const Client& client, const Analysis& analysis, const Diagnostic& diagnostic);

/// The document that parameters are about; throws where it is not open.
const Document& documentOf(Session& session, const Json& params);
/// Throws where there is none.
Position positionOf(const Json& value, std::string_view path);

Json valueOf(Position position);
Json rangeValue(const FilePlace& place);
Json locationValue(const FilePlace& place);

}  // namespace amdahlc::lsp

#include <algorithm>
#include <array>
#include <limits>

#include "grammar/lsp/feature.h"

namespace amdahlc::lsp {
namespace {

// At these, clients ask again without being told to. A brace begins attribute tests and members.
constexpr std::string_view kCompletion = R"({"triggerCharacters": [":", ".", "{"], "resolveProvider": false})";

constexpr std::array kFeatures{
    Feature{"textDocument/codeAction", "codeActionProvider", R"({"codeActionKinds": ["quickfix"]})", answerCodeAction},
    Feature{"textDocument/completion", "completionProvider", kCompletion, answerCompletion},
    Feature{"textDocument/definition", "definitionProvider", "true", answerDefinition},
    Feature{"textDocument/documentSymbol", "documentSymbolProvider", "true", answerDocumentSymbol},
    Feature{"textDocument/hover", "hoverProvider", "true", answerHover},
};

}  // namespace

std::span<const Feature> features() { return kFeatures; }

Client readClient(const Json& capabilities) {
  Client out;
  out.relatedInformation = isTrue(capabilities, "textDocument.publishDiagnostics.relatedInformation");
  out.diagnosticVersions = isTrue(capabilities, "textDocument.publishDiagnostics.versionSupport");
  out.diagnosticTags = find(capabilities, "textDocument.publishDiagnostics.tagSupport") != nullptr;
  out.documentChanges = isTrue(capabilities, "workspace.workspaceEdit.documentChanges");
  out.codeActionLiterals = find(capabilities, "textDocument.codeAction.codeActionLiteralSupport") != nullptr;
  out.hierarchicalSymbols = isTrue(capabilities, "textDocument.documentSymbol.hierarchicalDocumentSymbolSupport");
  out.hoverMarkdown = lists(capabilities, "textDocument.hover.contentFormat", "markdown");
  out.completionMarkdown =
      lists(capabilities, "textDocument.completion.completionItem.documentationFormat", "markdown");
  out.watchesFiles = isTrue(capabilities, "workspace.didChangeWatchedFiles.dynamicRegistration");
  return out;
}

const Document& documentOf(Session& session, const Json& params) {
  const std::string& uri = requireString(params, "textDocument.uri");
  const Document* document = session.workspace.find(uri);
  if (document == nullptr) throw InvalidParams("the document is not open");
  return *document;
}

Position positionOf(const Json& value, std::string_view path) {
  const Json& written = require(value, path);
  const auto number = [&](std::string_view key) {
    const int64_t found = requireInteger(written, key);
    if (found < 0) throw InvalidParams("a position is negative");
    return static_cast<uint32_t>(std::min<int64_t>(found, std::numeric_limits<uint32_t>::max()));
  };
  return {number("line"), number("character")};
}

Json valueOf(Position position) { return {{"line", position.line}, {"character", position.character}}; }

Json rangeValue(const FilePlace& place) { return {{"start", valueOf(place.start)}, {"end", valueOf(place.end)}}; }

Json locationValue(const FilePlace& place) { return {{"uri", place.uri}, {"range", rangeValue(place)}}; }

}  // namespace amdahlc::lsp

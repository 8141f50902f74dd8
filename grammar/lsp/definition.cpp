#include "grammar/lsp/feature.h"

namespace amdahlc::lsp {

Json answerDefinition(Session& session, const Json& params) {
  const Document& document = documentOf(session, params);
  const Position position = positionOf(params, "position");
  const Analysis& analysis = session.workspace.analysis(document);
  const grammar::Mention* mention = analysis.mentionAt(position);
  if (mention == nullptr || !mention->declaration) return nullptr;
  return Json::array({locationValue(analysis.place(*mention->declaration))});
}

}  // namespace amdahlc::lsp

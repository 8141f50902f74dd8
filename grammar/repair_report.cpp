// The errors that say what a repair changes.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "AkpParser.h"
#include "grammar/repair.h"

namespace amdahlc::grammar {
namespace {

using P = generated::AkpParser;

/// No change of one token helps.
void reportUnclear(const WrittenTokens& tokens, const Stop& stop, DiagnosticEngine& diagnostics) {
  const SourceRange place = tokens.range(stop.at);
  const std::string found = tokens.found(stop.at);
  const auto unknownWord = [&](std::string_view what, const std::vector<std::string>& keywords) {
    diagnostics.error(DiagId::AkpSyntax, place,
                      fmt::format("{} does not start {}; expected one of {}", found, what, fmt::join(keywords, ", ")));
  };
  const auto& expected = stop.expected.types;
  const auto expects = [&](size_t type) { return std::ranges::binary_search(expected, type); };
  const bool isUnknownWord = !tokens.isEnd(stop.at) && tokens.isWord(stop.at) && !expects(P::IDENT);
  if (isUnknownWord && (expects(P::KERNEL) || stop.beginsDeclaration)) {
    unknownWord("a declaration", beginningsOf(P::RuleItem));
  } else if (isUnknownWord && expects(P::LABEL)) {
    unknownWord("a member of a rule", beginningsOf(P::RuleMember));
  } else if (!stop.expected.text.empty()) {
    diagnostics.error(DiagId::AkpSyntax, place, fmt::format("expected {}, found {}", stop.expected.text, found));
  } else if (tokens.isEnd(stop.at)) {
    diagnostics.error(DiagId::AkpSyntax, place, "unexpected end of the file");
  } else {
    diagnostics.error(DiagId::AkpSyntax, place,
                      stop.expected.inside.empty() ? fmt::format("unexpected {}", found)
                                                   : fmt::format("unexpected {} in {}", found, stop.expected.inside));
  }
}

}  // namespace

bool isWrittenTwice(const WrittenTokens& tokens, size_t at) {
  const size_t type = tokens.type(at);
  if (type == P::LPAREN || type == P::RPAREN || type == P::LBRACE || type == P::RBRACE) return false;
  return at > 0 && type == tokens.type(at - 1) && tokens.written(at) == tokens.written(at - 1);
}

void reportChange(const WrittenTokens& tokens, const Stop& stop, const Change& change, DiagnosticEngine& diagnostics) {
  const size_t at = change.begin;
  const SourceRange place = tokens.range(at);
  const std::string text = change.type ? tokenText(*change.type) : std::string();
  const auto error = [&](SourceRange where, const std::string& message, SourceRange replaced) {
    auto report = diagnostics.error(DiagId::AkpSyntax, where, message);
    if (!text.empty()) report.fix(replaced, setApart(text, tokens.text(), replaced));
  };
  switch (change.kind) {
    case ChangeKind::Spelling:
      error(place, fmt::format("unexpected {}; write `{}`", tokens.found(at), text), place);
      return;
    case ChangeKind::Keyword:
      error(place, fmt::format("unknown keyword {}; did you mean `{}`?", tokens.found(at), text), place);
      return;
    case ChangeKind::Insert: {
      const std::string wanted = describeTokenType(*change.type);
      // A `;`, and what is missing at the end of a line, is reported there; a declaration begins with its keyword.
      const bool after =
          at > 0 && (*change.type == P::SEMI || (tokens.beginsLine(at) && !canBegin(P::RuleItem, *change.type)));
      const uint32_t offset = after ? tokens.range(at - 1).end : place.begin;
      const SourceRange gap{place.buffer, offset, offset};
      if (after)
        error(gap, fmt::format("expected {}", wanted), gap);
      else
        error(place, fmt::format("expected {}, found {}", wanted, tokens.found(at)), gap);
      return;
    }
    case ChangeKind::Replace:
      error(place, fmt::format("expected {}, found {}", describeTokenType(*change.type), tokens.found(at)), place);
      return;
    case ChangeKind::Delete:
      error(place,
            isWrittenTwice(tokens, at) ? fmt::format("{} is written twice", tokens.found(at))
                                       : fmt::format("unexpected {}", tokens.found(at)),
            place);
      return;
    case ChangeKind::LeaveOut:
      reportUnclear(tokens, stop, diagnostics);
      return;
  }
}

}  // namespace amdahlc::grammar

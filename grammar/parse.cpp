#include "grammar/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "AkpParser.h"
#include "antlr4-runtime.h"
#include "grammar/ast_builder.h"
#include "grammar/lexer.h"
#include "grammar/repair.h"
#include "grammar/wrong_spellings.h"
#include "support/limits.h"
#include "support/sort_unique.h"
#include "support/text_encoding.h"
#include "support/utf8.h"

namespace amdahlc::grammar {
namespace {

using generated::AkpParser;

/// Strings and regular expressions that are not closed on their line.
std::vector<const antlr4::Token*> openTokens(LexedText& text) {
  std::vector<const antlr4::Token*> open;
  for (const antlr4::Token* token : text.tokens.getTokens())
    if (token->getType() == RuleLexer::OPEN_STRING || token->getType() == RuleLexer::OPEN_REGEX) open.push_back(token);
  return open;
}

/// Closes strings and regular expressions that are not closed on their line, at the most likely place and without
/// moving any text, so that the rest of the line is tokenized as intended. Returns whether it changed the text.
bool closeTokens(const std::vector<const antlr4::Token*>& open, std::string& bytes) {
  bool changed = false;
  for (const antlr4::Token* token : open) {
    const bool string = token->getType() == RuleLexer::OPEN_STRING;
    const size_t begin = token->getStartIndex();
    const size_t length = token->getStopIndex() + 1 - begin;
    const size_t close = std::string_view(bytes).substr(begin, length).find_first_of(string ? ");,{" : ";");
    const size_t end = begin + std::min(close, length);
    if (end < begin + 3) continue;
    bytes[end - 1] = string ? '"' : '/';
    for (size_t i = begin + 1; i + 1 < end; ++i)
      if (bytes[i] == '\\') bytes[i] = ' ';
    changed = true;
  }
  return changed;
}

/// What is wrong with single tokens.
struct TokenFaults {
  bool any = false;
  /// Lines that have an error, ascending. Further errors there probably follow from it.
  std::vector<size_t> lines;
  /// The file cannot be parsed.
  bool fatal = false;
};

/// Reports invalid tokens and repairs them, so that the parser does not report them again.
TokenFaults checkTokens(antlr4::CommonTokenStream& tokens, BufferId buffer, std::string_view text,
                        DiagnosticEngine& diagnostics) {
  TokenFaults faults;
  std::vector<antlr4::Token*> open;
  size_t lastComment = 0;
  for (antlr4::Token* token : tokens.getTokens()) {
    const SourceRange range = rangeOf(buffer, *token);
    auto& common = dynamic_cast<antlr4::CommonToken&>(*token);
    const auto fault = [&] {
      faults.any = true;
      if (faults.lines.empty() || faults.lines.back() != token->getLine()) faults.lines.push_back(token->getLine());
    };
    const auto hide = [&] { common.setChannel(antlr4::Token::HIDDEN_CHANNEL); };
    switch (token->getType()) {
      case RuleLexer::OPEN_STRING:
      case RuleLexer::OPEN_REGEX:
        common.setType(token->getType() == RuleLexer::OPEN_STRING ? RuleLexer::STRING : RuleLexer::REGEX);
        fault();
        break;
      case RuleLexer::OPEN_COMMENT:
        diagnostics.error(DiagId::AkpSyntax, SourceRange{buffer, range.begin, range.begin + 2},
                          "comment is not closed");
        hide();
        fault();
        break;
      case RuleLexer::HASH_COMMENT:
        // One message for the lines of a block.
        if (lastComment == 0 || token->getLine() != lastComment + 1)
          diagnostics
              .error(DiagId::AkpSyntax, SourceRange{buffer, range.begin, range.begin + 1},
                     "unexpected `#`; a comment begins with `//`")
              .fix({buffer, range.begin, range.begin + 1}, "//");
        lastComment = token->getLine();
        faults.any = true;
        hide();
        break;
      case RuleLexer::QUOTED:
        diagnostics.error(DiagId::AkpSyntax, range, "string in single quotes; write it in double quotes")
            .fix(range, inDoubleQuotes(text.substr(range.begin + 1, range.end - range.begin - 2)));
        common.setType(RuleLexer::STRING);
        faults.any = true;
        break;
      case RuleLexer::UNKNOWN: {
        // A character of several bytes arrives as several tokens; one message is enough.
        if (utf8::startsSequence(text[range.begin])) {
          uint32_t end = range.end;
          while (end < text.size() && !utf8::startsSequence(text[end])) ++end;
          diagnostics.error(DiagId::AkpSyntax, SourceRange{buffer, range.begin, end},
                            fmt::format("unexpected character `{}`", text.substr(range.begin, end - range.begin)));
        }
        hide();
        fault();
        break;
      }
      case RuleLexer::LPAREN:
      case RuleLexer::LBRACE:
      case RuleLexer::LBRACK:
        open.push_back(token);
        if (open.size() > limits::kRuleBrackets) {
          diagnostics.error(DiagId::AkpTooLarge, range,
                            fmt::format("brackets nest deeper than {}", limits::kRuleBrackets));
          faults.any = faults.fatal = true;
          return faults;
        }
        break;
      case RuleLexer::RPAREN:
      case RuleLexer::RBRACE:
      case RuleLexer::RBRACK:
        if (!open.empty()) open.pop_back();
        break;
      default:
        break;
    }
  }
  return faults;
}

}  // namespace

std::vector<SourceRange> namesIn(BufferId buffer, const SourceManager& sources) {
  LexedText text(sources.text(buffer));
  std::vector<SourceRange> out;
  for (const antlr4::Token* token : text.tokens.getTokens())
    if (token->getType() == RuleLexer::IDENT) out.push_back(rangeOf(buffer, *token));
  return out;
}

int64_t countTokens(std::string_view text) {
  return static_cast<int64_t>(LexedText(text).tokens.size()) - 1;  // the last one is the end
}

ast::File parse(BufferId buffer, const SourceManager& sources, DiagnosticEngine& diagnostics) {
  const std::string_view text = sources.text(buffer);
  ast::File damaged;
  damaged.hasSyntaxErrors = true;
  // Reports print labels and doc comments, so they must be text.
  if (!checkEncoding(DiagId::AkpEncoding, buffer, text, diagnostics)) return damaged;
  std::string bytes(text);
  // Blanks in its place, so that offsets stay those of the file.
  if (text.starts_with(utf8::kByteOrderMark)) bytes.replace(0, utf8::kByteOrderMark.size(), 3, ' ');
  std::optional<LexedText> lexed(bytes);
  RepairedTokens read;
  std::vector<size_t> openLines;
  const std::vector<const antlr4::Token*> open = openTokens(*lexed);
  for (const antlr4::Token* token : open) {
    if (diagnostics.hasTooManyErrors()) break;
    read.guesses.push_back(rangeOf(buffer, *token));
    openLines.push_back(token->getLine());
    diagnostics.error(DiagId::AkpSyntax, read.guesses.back(),
                      token->getType() == RuleLexer::OPEN_STRING
                          ? "string is not closed on its line"
                          : "regular expression is not closed on its line; write `\\/` for a slash inside it");
  }
  if (diagnostics.hasTooManyErrors()) return damaged;
  if (closeTokens(open, bytes)) lexed.emplace(bytes);
  antlr4::CommonTokenStream& tokens = lexed->tokens;
  // The last token is the end of the file.
  if (const size_t count = tokens.size() - 1; count > limits::kRuleTokens) {
    diagnostics.error(DiagId::AkpTooLarge, SourceRange{buffer, 0, 0},
                      fmt::format("{} tokens in one file, more than {}; split it", count, limits::kRuleTokens));
    return damaged;
  }
  TokenFaults faults = checkTokens(tokens, buffer, text, diagnostics);
  if (faults.fatal) return damaged;

  for (antlr4::Token* token : tokens.getTokens())
    if (token->getChannel() == antlr4::Token::DEFAULT_CHANNEL) read.tokens.push_back(token);
  TokenView view(read.tokens);
  AkpParser parser(&view);
  parser.removeErrorListeners();
  // SLL prediction is several times faster than LL. Where it finds no parse, LL may find one.
  AkpParser::FileContext* tree = nullptr;
  auto* predictor = parser.getInterpreter<antlr4::atn::ParserATNSimulator>();
  predictor->setPredictionMode(antlr4::atn::PredictionMode::SLL);
  parser.setErrorHandler(std::make_shared<antlr4::BailErrorStrategy>());
  try {
    tree = parser.file();
  } catch (const antlr4::ParseCancellationException&) {
    faults.lines.insert(faults.lines.end(), openLines.begin(), openLines.end());
    sortUnique(faults.lines);
    faults.any = repair(read, buffer, sources, faults.lines, diagnostics) || faults.any;
    predictor->setPredictionMode(antlr4::atn::PredictionMode::LL);
    parser.setErrorHandler(std::make_shared<StopAtError>());
    view = TokenView(read.tokens);
    parser.setInputStream(&view);
    try {
      tree = parser.file();
    } catch (const ParseStopped& stopped) {
      diagnostics.error(DiagId::AkpSyntax, rangeOf(buffer, *stopped.token), "the text cannot be read from here on");
      return damaged;
    }
  }
  ast::File file = buildAst(*tree, read.guesses, tokens, buffer, sources, diagnostics);
  file.hasSyntaxErrors = faults.any || !read.guesses.empty();
  return file;
}

}  // namespace amdahlc::grammar

// A token does not fit:                 kernel a { match(x) => Relu(x) }      the parser stops at `=>`
// Changes near it are tried:            delete `=>`; insert `->`; replace it by `->`; ...
// The cheapest of those that reach      replace `=>` by `->`                  reaches `}`
// furthest is reported and kept:        unexpected `=>`; write `->`
// and so on:                                                                  expected `;`
//
// A trial reads from the place of the change to a few tokens behind that of the error. If no change of one token helps,
// the statement or the declaration is left out.
//
// Cost: each error costs a bounded number of trials of bounded length. A budget for the file bounds their sum; without
// it, declarations are left out at once.

#include "grammar/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>

#include "AkpParser.h"
#include "grammar/recognizer.h"
#include "grammar/syntax_errors.h"
#include "grammar/token_view.h"
#include "grammar/wrong_spellings.h"
#include "support/edit_distance.h"

namespace amdahlc::grammar {
namespace {

using P = generated::AkpParser;

// A file with more errors is probably not in this language.
constexpr uint32_t kMaxSyntaxErrors = 50;
// The same, with those on lines that already have an error.
constexpr size_t kMaxChanges = 400;
constexpr size_t kMaxQuoted = 40;
// Tokens that a trial reads behind the place of the error. A change is good if all of them fit.
constexpr size_t kAhead = 48;
// A change after which fewer of them fit may be a wrong one.
constexpr size_t kSure = 4;
// Tokens before the place that are changed, too: the parser may stop late.
constexpr size_t kBack = 3;
// So many expected tokens are all likely.
constexpr size_t kFew = 3;
// So far back, a `;` may be missing at the end of a line.
constexpr size_t kBackToLineEnd = 16;
// And so far, a word may be a wrong one.
constexpr size_t kBackToWord = 10;
// So many brackets that are not closed may be of the wrong kind.
constexpr size_t kOpenBrackets = 8;
// A declaration with more tokens before the place is left out.
constexpr size_t kLongestTrial = 3000;
// Tokens that all trials of a file read.
constexpr size_t kTrialBudget = 3'000'000;
// Tokens that the file's own parses read, beyond one parse of it all: some seconds.
constexpr size_t kParseBudget = 5'000'000;

constexpr std::array kMarks{P::SEMI, P::RPAREN, P::RBRACE, P::RBRACK, P::LPAREN, P::LBRACE, P::LBRACK,     P::COMMA,
                            P::BAR,  P::ARROW,  P::ASSIGN, P::EQ,     P::COLON,  P::DOT,    P::COLONCOLON, P::QUESTION};

enum class ChangeKind : uint8_t { Spelling, Keyword, Insert, Delete, Replace, LeaveOut };

/// Replaces the tokens from `begin` to before `end` by one of type `type`, if there is a type.
struct Change {
  ChangeKind kind = ChangeKind::Insert;
  size_t begin = 0;
  size_t end = 0;
  std::optional<size_t> type;
  /// What is likely, against other changes with the same effect.
  int cost = 0;
};

class Repair {
 public:
  Repair(RepairedTokens& file, BufferId buffer, const SourceManager& sources, const std::vector<size_t>& reportedLines,
         DiagnosticEngine& diagnostics)
      : file_(file),
        tokens_(file.tokens),
        buffer_(buffer),
        text_(sources.text(buffer)),
        reportedLines_(reportedLines),
        diagnostics_(diagnostics),
        view_({tokens_.back()}),
        parser_(&view_),
        strategy_(std::make_shared<StopAtError>()) {
    parser_.removeErrorListeners();
    parser_.setErrorHandler(strategy_);
    parser_.setBuildParseTree(false);
  }

  bool run() {
    size_t from = 0;
    size_t changes = 0;
    while (const auto stop = parse(from)) {
      parsed_ += stop->at - from;
      // The declaration before is tried with this one, since the change may be in it, unless it is a long one.
      if (stop->at - previousItem_ > kLongestTrial) previousItem_ = item_;
      from = previousItem_;
      const Change change = choose(*stop);
      if (!report(*stop, change) || ++changes > kMaxChanges || parsed_ > tokens_.size() + kParseBudget) {
        leaveOutRest(item_);
        return true;
      }
      apply(change);
      from = std::min(from, change.begin);
    }
    return changes != 0;
  }

 private:
  struct Stop {
    /// Index of the first token that does not fit.
    size_t at = 0;
    Expectation expected;
  };

  bool isEnd(size_t at) const { return at + 1 >= tokens_.size(); }
  size_t type(size_t at) const { return tokens_[at]->getType(); }
  SourceRange range(const antlr4::Token& token) const {
    const auto size = static_cast<uint32_t>(text_.size());
    if (token.getType() == antlr4::Token::EOF) return {buffer_, size, size};
    return {buffer_, static_cast<uint32_t>(token.getStartIndex()), static_cast<uint32_t>(token.getStopIndex() + 1)};
  }
  std::string written(size_t at) const {
    const SourceRange where = range(*tokens_[at]);
    return std::string(text_.substr(where.begin, where.end - where.begin));
  }
  bool beginsLine(size_t at) const { return at == 0 || tokens_[at - 1]->getLine() < tokens_[at]->getLine(); }
  bool isWord(size_t at) const { return type(at) == P::IDENT || isKeyword(type(at)); }

  /// Parses the rest of the file from an index where a declaration starts.
  std::optional<Stop> parse(size_t from) {
    view_ = TokenView({tokens_.begin() + static_cast<std::ptrdiff_t>(from), tokens_.end()});
    parser_.setInputStream(&view_);
    item_ = previousItem_ = from;
    try {
      if (from == 0 && view_.LA(1) == P::AKP) parser_.version();
      for (bool isFirst = true; view_.LA(1) != antlr4::Token::EOF; isFirst = false) {
        if (!isFirst) previousItem_ = item_;
        item_ = from + view_.index();
        parser_.item();
      }
      return std::nullopt;
    } catch (const ParseStopped& stopped) {
      size_t at = view_.index();
      while (at + 1 < view_.size() && view_.get(at) != stopped.token) ++at;
      return Stop{from + at, strategy_->expectation(parser_)};
    }
  }

  /// Reads the tokens from `begin` to before `end`, which fit, so that trials can begin at each of them.
  void readPrefix(size_t begin, size_t end) {
    prefixBegin_ = begin;
    prefix_ = {recognizer_.start(begin == 0)};
    while (prefix_.size() <= end - begin) {
      prefix_.push_back(prefix_.back());
      recognizer_.advance(prefix_.back(), type(begin + prefix_.size() - 2));
    }
    spent_ += end - begin;
  }

  /// The index of the token at which the changed text stops, not counting inserted ones, up to the end of the trial.
  size_t reach(const Change& change, size_t end) {
    const size_t mark = recognizer_.mark();
    Recognizer::Places places = prefix_[change.begin - prefixBegin_];
    size_t at = change.begin;
    bool fits = true;
    const auto read = [&](size_t token, size_t tokenType) {
      at = token;
      fits = recognizer_.advance(places, tokenType);
      ++spent_;
    };
    if (change.type) read(change.begin, *change.type);
    for (size_t i = change.end; fits && i < end; ++i) read(i, type(i));
    const bool isCut = end + 1 < tokens_.size();
    if (fits) at = isCut || recognizer_.canEnd(places) ? end + 1 : end;
    recognizer_.release(mark);
    return at;
  }

  Change choose(const Stop& stop) {
    const size_t begin = previousItem_;
    if (stop.at - begin <= kLongestTrial && spent_ < kTrialBudget) {
      const size_t end = std::min(stop.at + kAhead, tokens_.size() - 1);
      readPrefix(begin, stop.at);
      std::vector<Change> changes = changesNear(stop);
      std::stable_sort(changes.begin(), changes.end(),
                       [](const Change& a, const Change& b) { return a.cost < b.cost; });
      // A change that is likely by itself is good if it helps at all: another mistake may follow at once. Any other one
      // may fit by chance.
      std::optional<Change> likely, other;
      size_t likelyReaches = stop.at;
      size_t otherReaches = stop.at + kSure - 1;
      for (const Change& change : changes) {
        size_t& furthest = isLikely(change) ? likelyReaches : otherReaches;
        const size_t reached = reach(change, end);
        if (reached > end) return change;
        if (reached <= furthest) continue;
        furthest = reached;
        (isLikely(change) ? likely : other) = change;
      }
      if (likely) return *likely;
      if (other) return *other;
      for (const Change& change : statementsAt(stop))
        if (reach(change, end) > std::min(end, change.end)) return change;
    }
    return {ChangeKind::LeaveOut, item_, nextDeclaration(stop.at), std::nullopt, 0};
  }

  /// All changes of one token that are tried.
  std::vector<Change> changesNear(const Stop& stop) {
    std::vector<Change> out;
    const size_t at = stop.at;
    const size_t first = at - std::min(at - previousItem_, kBack);
    for (size_t i = at + 1; i-- > first;) {
      const int distance = static_cast<int>(at - i);
      if (!isEnd(i)) {
        replacements(stop, i, distance, out);
        out.push_back({ChangeKind::Delete, i, i + 1, std::nullopt, (isWrittenTwice(i) ? 2 : 6) + distance});
      }
      for (const size_t mark : kMarks) {
        const bool closes = mark == P::SEMI || mark == P::RPAREN || mark == P::RBRACE || mark == P::RBRACK;
        // At the start of a line, the end of the one before is missing.
        const int cost = (mark == P::SEMI ? 2 : closes ? 3 : 5) - (closes && beginsLine(i) ? 1 : 0);
        out.push_back({ChangeKind::Insert, i, i, mark, cost + distance});
      }
    }
    for (size_t i = first; i > previousItem_ && at - i < kBackToLineEnd; --i)
      if (beginsLine(i)) out.push_back({ChangeKind::Insert, i, i, P::SEMI, 4});
    const auto& expected = stop.expected.types;
    const bool few = expected.size() <= kFew;
    for (const size_t wanted : expected) {
      // One of many keywords is no likely guess, and where a name fits, a keyword is a name.
      if (isKeyword(wanted) && !few) continue;
      if (std::find(kMarks.begin(), kMarks.end(), wanted) == kMarks.end())
        out.push_back({ChangeKind::Insert, at, at, wanted, 7});
      if (!isEnd(at)) out.push_back({ChangeKind::Replace, at, at + 1, wanted, 8});
    }
    for (size_t i = at + 1; i-- > first;)
      for (const size_t wanted : {P::MATCH, P::RUNS, P::AS, P::WHERE, P::KERNEL, P::IDENT})
        out.push_back({ChangeKind::Insert, i, i, wanted, 8 + static_cast<int>(at - i)});
    if (type(at) == P::MATCH) out.push_back({ChangeKind::Insert, at, at, P::OR, 0});
    // A bracket that is not closed may be of the wrong kind.
    for (const size_t open : openBrackets(at))
      for (const size_t bracket : {P::LPAREN, P::LBRACE, P::LBRACK})
        if (bracket != type(open)) out.push_back({ChangeKind::Replace, open, open + 1, bracket, 6});
    // The words between may be names to the parser.
    for (size_t i = first; i > previousItem_ && at - i < kBackToWord;) {
      --i;
      if (isWord(i)) words(i, static_cast<int>(at - i), out);
    }
    return out;
  }

  void replacements(const Stop& stop, size_t i, int distance, std::vector<Change>& out) {
    words(i, distance, out);
    if (std::find(kMarks.begin(), kMarks.end(), type(i)) != kMarks.end()) {
      for (const size_t mark : kMarks)
        if (mark != type(i)) out.push_back({ChangeKind::Replace, i, i + 1, mark, 4 + 2 * distance});
    }
    if (isWord(i) && stop.at != i) out.push_back({ChangeKind::Replace, i, i + 1, P::IDENT, 9});
  }

  /// The brackets of the declaration that are not closed before `at`, the last ones first.
  std::vector<size_t> openBrackets(size_t at) const {
    std::vector<size_t> open;
    size_t closed = 0;
    for (size_t i = at; i > item_ && open.size() < kOpenBrackets;) {
      const size_t t = type(--i);
      if (t == P::RPAREN || t == P::RBRACE || t == P::RBRACK) ++closed;
      if (t != P::LPAREN && t != P::LBRACE && t != P::LBRACK) continue;
      if (closed == 0)
        open.push_back(i);
      else
        --closed;
    }
    return open;
  }

  /// What the word or mark at `i` may mean.
  void words(size_t i, int distance, std::vector<Change>& out) const {
    const std::string word = written(i);
    int cost = 1;
    for (const size_t meant : meantBy(word)) out.push_back({ChangeKind::Spelling, i, i + 1, meant, cost++ + distance});
    if (type(i) != P::IDENT) return;
    for (const size_t meant : keywordsNear(word)) out.push_back({ChangeKind::Keyword, i, i + 1, meant, 2 + distance});
  }

  /// Statements, members and declarations that may be left out, the smallest first.
  std::vector<Change> statementsAt(const Stop& stop) const {
    const auto separates = [&](size_t i) { return type(i) == P::SEMI || type(i) == P::LBRACE || type(i) == P::RBRACE; };
    size_t begin = stop.at;
    while (begin > item_ && !separates(begin - 1)) --begin;
    std::vector<Change> out;
    int depth = 0;
    for (size_t end = stop.at; !isEnd(end) && out.size() < 2 && end < stop.at + kLongestTrial; ++end) {
      if (type(end) == P::LBRACE) ++depth;
      if (type(end) == P::RBRACE && --depth < 0) break;
      if (depth == 0 && separates(end)) out.push_back({ChangeKind::LeaveOut, begin, end + 1, std::nullopt, 0});
    }
    return out;
  }

  /// The index of the next declaration: its keyword begins a line that is not indented more than this declaration.
  size_t nextDeclaration(size_t at) const {
    const size_t column = tokens_[item_]->getCharPositionInLine();
    for (size_t i = std::max(at, item_ + 1); !isEnd(i); ++i)
      if (startsDeclaration(type(i)) && beginsLine(i) && tokens_[i]->getCharPositionInLine() <= column) return i;
    return tokens_.size() - 1;
  }

  /// Brackets often follow each other, and one of several may be too many anywhere.
  bool isWrittenTwice(size_t at) const {
    const size_t t = type(at);
    if (t == P::LPAREN || t == P::RPAREN || t == P::LBRACE || t == P::RBRACE) return false;
    return at > 0 && type(at) == type(at - 1) && written(at) == written(at - 1);
  }

  bool isLikely(const Change& change) const {
    switch (change.kind) {
      case ChangeKind::Spelling:
      case ChangeKind::Keyword:
        return true;
      case ChangeKind::Insert:
        return change.type == P::SEMI;
      case ChangeKind::Delete:
        return type(change.begin) == P::SEMI;
      default:
        return false;
    }
  }

  /// Whether the meaning of the text is clear with the change, so that further errors in the declaration are others.
  bool isSure(const Change& change) const {
    if (isLikely(change)) return true;
    return change.kind == ChangeKind::Replace &&
           (change.type == P::SEMI || change.type == P::ASSIGN || change.type == P::ARROW);
  }

  /// The text whose meaning is a guess with the change: it lies in the declaration that the change is about.
  SourceRange guess(const Change& change) const {
    if (change.end > change.begin)
      return {buffer_, range(*tokens_[change.begin]).begin, range(*tokens_[change.end - 1]).end};
    const SourceRange before = range(*tokens_[std::max<size_t>(change.begin, 1) - 1]);
    // A keyword that begins a declaration is no part of the one before, as what ends a declaration is.
    if (change.begin == item_ && change.type && startsDeclaration(*change.type))
      return {buffer_, before.end, before.end};
    return before;
  }

  void apply(const Change& change) {
    const SourceRange first = range(*tokens_[change.begin]);
    if (!isSure(change)) file_.guesses.push_back(guess(change));
    std::vector<antlr4::Token*> made;
    if (change.type) {
      auto token = std::make_unique<antlr4::CommonToken>(*change.type);
      const bool replaces = change.end > change.begin;
      const uint32_t begin = replaces || change.begin == 0 ? first.begin : range(*tokens_[change.begin - 1]).end;
      token->setStartIndex(begin);
      token->setStopIndex((replaces ? first.end : begin) - 1);
      token->setLine(tokens_[change.begin]->getLine());
      token->setCharPositionInLine(tokens_[change.begin]->getCharPositionInLine());
      token->setTokenIndex(tokens_[change.begin]->getTokenIndex());
      made.push_back(token.get());
      file_.made.push_back(std::move(token));
    }
    const auto at = tokens_.begin() + static_cast<std::ptrdiff_t>(change.begin);
    const auto to = tokens_.begin() + static_cast<std::ptrdiff_t>(change.end);
    tokens_.insert(tokens_.erase(at, to), made.begin(), made.end());
  }

  void leaveOutRest(size_t from) {
    file_.guesses.push_back({buffer_, range(*tokens_[from]).begin, static_cast<uint32_t>(text_.size())});
    tokens_.erase(tokens_.begin() + static_cast<std::ptrdiff_t>(from), tokens_.end() - 1);
  }

  std::string found(size_t at) const {
    if (isEnd(at)) return "the end of the file";
    std::string text = written(at);
    if (text.size() > kMaxQuoted) text = text.substr(0, kMaxQuoted) + "...";
    return "`" + text + "`";
  }

  /// False if the rest of the file should not be read.
  bool report(const Stop& stop, const Change& change) {
    const size_t line = tokens_[change.kind == ChangeKind::LeaveOut ? stop.at : change.begin]->getLine();
    if (std::binary_search(reportedLines_.begin(), reportedLines_.end(), line)) return true;
    if (diagnostics_.hasTooManyErrors()) return false;
    if (++errors_ == kMaxSyntaxErrors) {
      diagnostics_.error(DiagId::AkpSyntax, range(*tokens_[stop.at]),
                         fmt::format("{} syntax errors; the rest of this file is not reported", kMaxSyntaxErrors));
      return false;
    }
    describe(stop, change);
    return true;
  }

  void describe(const Stop& stop, const Change& change) {
    const SourceRange place = range(*tokens_[change.begin]);
    const std::string text = change.type ? tokenText(*change.type) : std::string();
    const auto error = [&](SourceRange where, const std::string& message) {
      return diagnostics_.error(DiagId::AkpSyntax, where, message);
    };
    switch (change.kind) {
      case ChangeKind::Spelling:
        error(place, fmt::format("unexpected {}; write `{}`", found(change.begin), text)).fix(place, text);
        return;
      case ChangeKind::Keyword:
        error(place, fmt::format("unknown keyword {}; did you mean `{}`?", found(change.begin), text)).fix(place, text);
        return;
      case ChangeKind::Insert: {
        const std::string wanted = describeTokenType(*change.type);
        // A `;`, and what is missing at the end of a line, is reported there; a declaration begins with its keyword.
        const bool after = change.begin > 0 &&
                           (*change.type == P::SEMI || (beginsLine(change.begin) && !startsDeclaration(*change.type)));
        const uint32_t at = after ? range(*tokens_[change.begin - 1]).end : place.begin;
        const SourceRange gap{buffer_, at, at};
        auto report = after ? error(gap, fmt::format("expected {}", wanted))
                            : error(place, fmt::format("expected {}, found {}", wanted, found(change.begin)));
        const bool touches = isKeyword(*change.type) && (after ? isWord(change.begin - 1) : isWord(change.begin));
        if (!text.empty())
          report.fix(gap, fmt::format("{}{}{}", touches && after ? " " : "", text, touches && !after ? " " : ""));
        return;
      }
      case ChangeKind::Replace: {
        auto report =
            error(place, fmt::format("expected {}, found {}", describeTokenType(*change.type), found(change.begin)));
        if (!text.empty()) report.fix(place, text);
        return;
      }
      case ChangeKind::Delete: {
        error(place, isWrittenTwice(change.begin) ? fmt::format("{} is written twice", found(change.begin))
                                                  : fmt::format("unexpected {}", found(change.begin)));
        return;
      }
      case ChangeKind::LeaveOut:
        describeUnclear(stop);
        return;
    }
  }

  /// No change of one token helps.
  void describeUnclear(const Stop& stop) {
    const SourceRange place = range(*tokens_[stop.at]);
    const auto unknownWord = [&](std::string_view what, const std::vector<std::string>& keywords) {
      diagnostics_.error(
          DiagId::AkpSyntax, place,
          fmt::format("{} does not start {}; expected one of {}", found(stop.at), what, fmt::join(keywords, ", ")));
    };
    const auto& expected = stop.expected.types;
    const auto expects = [&](size_t type) { return std::binary_search(expected.begin(), expected.end(), type); };
    if (!isEnd(stop.at) && isWord(stop.at) && (expects(P::KERNEL) || stop.at == item_) && !expects(P::IDENT)) {
      unknownWord("a declaration", declarationKeywords());
    } else if (!isEnd(stop.at) && isWord(stop.at) && expects(P::LABEL) && !expects(P::IDENT)) {
      unknownWord("a member of a rule", memberKeywords());
    } else if (!stop.expected.text.empty()) {
      diagnostics_.error(DiagId::AkpSyntax, place,
                         fmt::format("expected {}, found {}", stop.expected.text, found(stop.at)));
    } else if (isEnd(stop.at)) {
      diagnostics_.error(DiagId::AkpSyntax, place, "unexpected end of the file");
    } else {
      diagnostics_.error(DiagId::AkpSyntax, place,
                         stop.expected.inside.empty()
                             ? fmt::format("unexpected {}", found(stop.at))
                             : fmt::format("unexpected {} in {}", found(stop.at), stop.expected.inside));
    }
  }

  RepairedTokens& file_;
  std::vector<antlr4::Token*>& tokens_;
  BufferId buffer_;
  std::string_view text_;
  const std::vector<size_t>& reportedLines_;
  DiagnosticEngine& diagnostics_;
  TokenView view_;
  P parser_;
  std::shared_ptr<StopAtError> strategy_;
  /// Index of the declaration in which the parser stopped, and of the one before it.
  size_t item_ = 0;
  size_t previousItem_ = 0;
  Recognizer recognizer_;
  /// The places before each token from `prefixBegin_` to the one that does not fit.
  std::vector<Recognizer::Places> prefix_;
  size_t prefixBegin_ = 0;
  size_t spent_ = 0;
  size_t parsed_ = 0;
  uint32_t errors_ = 0;
};

}  // namespace

bool repair(RepairedTokens& file, BufferId buffer, const SourceManager& sources,
            const std::vector<size_t>& reportedLines, DiagnosticEngine& diagnostics) {
  return Repair(file, buffer, sources, reportedLines, diagnostics).run();
}

}  // namespace amdahlc::grammar

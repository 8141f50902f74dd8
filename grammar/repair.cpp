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

#include "AkpParser.h"
#include "grammar/recognizer.h"
#include "grammar/wrong_spellings.h"

namespace amdahlc::grammar {
namespace {

using P = generated::AkpParser;

// A file with more errors is probably not in this language.
constexpr uint32_t kMaxSyntaxErrors = 50;
// The same, with those on lines that already have an error.
constexpr size_t kMaxChanges = 400;
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

class Repair {
 public:
  Repair(RepairedTokens& file, BufferId buffer, const SourceManager& sources, const std::vector<size_t>& reportedLines,
         DiagnosticEngine& diagnostics)
      : file_(file),
        tokens_(file.tokens),
        text_(tokens_, buffer, sources.text(buffer)),
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
      return Stop{from + at, from + at == item_, strategy_->expectation(parser_)};
    }
  }

  /// Reads the tokens from `begin` to before `end`, which fit, so that trials can begin at each of them.
  void readPrefix(size_t begin, size_t end) {
    prefixBegin_ = begin;
    prefix_ = {recognizer_.start(begin == 0)};
    while (prefix_.size() <= end - begin) {
      prefix_.push_back(prefix_.back());
      recognizer_.advance(prefix_.back(), text_.type(begin + prefix_.size() - 2));
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
    for (size_t i = change.end; fits && i < end; ++i) read(i, text_.type(i));
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
      std::ranges::stable_sort(changes, {}, &Change::cost);
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
      if (!text_.isEnd(i)) {
        replacements(stop, i, distance, out);
        out.push_back({ChangeKind::Delete, i, i + 1, std::nullopt, (isWrittenTwice(text_, i) ? 2 : 6) + distance});
      }
      for (const size_t mark : kMarks) {
        const bool closes = mark == P::SEMI || mark == P::RPAREN || mark == P::RBRACE || mark == P::RBRACK;
        // At the start of a line, the end of the one before is missing.
        const int cost = (mark == P::SEMI ? 2 : closes ? 3 : 5) - (closes && text_.beginsLine(i) ? 1 : 0);
        out.push_back({ChangeKind::Insert, i, i, mark, cost + distance});
      }
    }
    for (size_t i = first; i > previousItem_ && at - i < kBackToLineEnd; --i)
      if (text_.beginsLine(i)) out.push_back({ChangeKind::Insert, i, i, P::SEMI, 4});
    const auto& expected = stop.expected.types;
    const bool few = expected.size() <= kFew;
    for (const size_t wanted : expected) {
      // One of many keywords is no likely guess, and where a name fits, a keyword is a name.
      if (isKeyword(wanted) && !few) continue;
      if (std::ranges::find(kMarks, wanted) == kMarks.end()) out.push_back({ChangeKind::Insert, at, at, wanted, 7});
      if (!text_.isEnd(at)) out.push_back({ChangeKind::Replace, at, at + 1, wanted, 8});
    }
    for (size_t i = at + 1; i-- > first;)
      for (const size_t wanted :
           {P::MATCH, P::RUNS, P::AS, P::WHERE, beginsRefinement(i) ? P::REFINE : P::KERNEL, P::IDENT})
        out.push_back({ChangeKind::Insert, i, i, wanted, 8 + static_cast<int>(at - i)});
    if (text_.type(at) == P::MATCH) out.push_back({ChangeKind::Insert, at, at, P::OR, 0});
    // A bracket that is not closed may be of the wrong kind.
    for (const size_t open : openBrackets(at))
      for (const size_t bracket : {P::LPAREN, P::LBRACE, P::LBRACK})
        if (bracket != text_.type(open)) out.push_back({ChangeKind::Replace, open, open + 1, bracket, 6});
    // The words between may be names to the parser.
    for (size_t i = first; i > previousItem_ && at - i < kBackToWord;) {
      --i;
      if (text_.isWord(i)) words(i, static_cast<int>(at - i), out);
    }
    return out;
  }

  void replacements(const Stop& stop, size_t i, int distance, std::vector<Change>& out) {
    words(i, distance, out);
    if (std::ranges::find(kMarks, text_.type(i)) != kMarks.end()) {
      for (const size_t mark : kMarks)
        if (mark != text_.type(i)) out.push_back({ChangeKind::Replace, i, i + 1, mark, 4 + 2 * distance});
    }
    if (text_.isWord(i) && stop.at != i) out.push_back({ChangeKind::Replace, i, i + 1, P::IDENT, 9});
  }

  /// Whether a rule whose name is here adds to one of that name: it has no `match` of its own, as `or match` is not.
  bool beginsRefinement(size_t name) const {
    int depth = 0;
    for (size_t i = name; !text_.isEnd(i) && i < name + kLongestTrial; ++i) {
      const size_t t = text_.type(i);
      if (t == P::MATCH && depth == 1 && (text_.type(i - 1) == P::LBRACE || text_.type(i - 1) == P::SEMI)) return false;
      if (t == P::LBRACE) ++depth;
      if (t == P::RBRACE && --depth <= 0) return true;
    }
    return false;
  }

  /// The brackets of the declaration that are not closed before `at`, the last ones first.
  std::vector<size_t> openBrackets(size_t at) const {
    std::vector<size_t> open;
    size_t closed = 0;
    for (size_t i = at; i > item_ && open.size() < kOpenBrackets;) {
      const size_t t = text_.type(--i);
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
    const std::string word = text_.written(i);
    int cost = 1;
    for (const size_t meant : meantBy(word)) out.push_back({ChangeKind::Spelling, i, i + 1, meant, cost++ + distance});
    if (text_.type(i) != P::IDENT) return;
    for (const size_t meant : keywordsNear(word)) out.push_back({ChangeKind::Keyword, i, i + 1, meant, 2 + distance});
  }

  /// Statements, members and declarations that may be left out, the smallest first.
  std::vector<Change> statementsAt(const Stop& stop) const {
    const auto separates = [&](size_t i) {
      return text_.type(i) == P::SEMI || text_.type(i) == P::LBRACE || text_.type(i) == P::RBRACE;
    };
    size_t begin = stop.at;
    while (begin > item_ && !separates(begin - 1)) --begin;
    std::vector<Change> out;
    int depth = 0;
    for (size_t end = stop.at; !text_.isEnd(end) && out.size() < 2 && end < stop.at + kLongestTrial; ++end) {
      if (text_.type(end) == P::LBRACE) ++depth;
      if (text_.type(end) == P::RBRACE && --depth < 0) break;
      if (depth == 0 && separates(end)) out.push_back({ChangeKind::LeaveOut, begin, end + 1, std::nullopt, 0});
    }
    return out;
  }

  /// The index of the next declaration: its keyword begins a line that is not indented more than this declaration.
  size_t nextDeclaration(size_t at) const {
    const size_t column = tokens_[item_]->getCharPositionInLine();
    for (size_t i = std::max(at, item_ + 1); !text_.isEnd(i); ++i)
      if (canBegin(P::RuleItem, text_.type(i)) && text_.beginsLine(i) && tokens_[i]->getCharPositionInLine() <= column)
        return i;
    return tokens_.size() - 1;
  }

  bool isLikely(const Change& change) const {
    if (change.kind == ChangeKind::Spelling || change.kind == ChangeKind::Keyword) return true;
    return (change.kind == ChangeKind::Insert && change.type == P::SEMI) ||
           (change.kind == ChangeKind::Delete && text_.type(change.begin) == P::SEMI);
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
      return {text_.buffer(), text_.range(change.begin).begin, text_.range(change.end - 1).end};
    const SourceRange before = text_.range(std::max<size_t>(change.begin, 1) - 1);
    // A keyword that begins a declaration is no part of the one before, as what ends a declaration is.
    if (change.begin == item_ && change.type && canBegin(P::RuleItem, *change.type))
      return {text_.buffer(), before.end, before.end};
    return before;
  }

  void apply(const Change& change) {
    const SourceRange first = text_.range(change.begin);
    if (!isSure(change)) file_.guesses.push_back(guess(change));
    std::vector<antlr4::Token*> made;
    if (change.type) {
      auto token = std::make_unique<antlr4::CommonToken>(*change.type);
      const bool replaces = change.end > change.begin;
      const uint32_t begin = replaces || change.begin == 0 ? first.begin : text_.range(change.begin - 1).end;
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
    file_.guesses.push_back({text_.buffer(), text_.range(from).begin, static_cast<uint32_t>(text_.text().size())});
    tokens_.erase(tokens_.begin() + static_cast<std::ptrdiff_t>(from), tokens_.end() - 1);
  }

  /// False if the rest of the file should not be read.
  bool report(const Stop& stop, const Change& change) {
    const size_t line = tokens_[change.kind == ChangeKind::LeaveOut ? stop.at : change.begin]->getLine();
    if (std::ranges::binary_search(reportedLines_, line)) return true;
    if (diagnostics_.hasTooManyErrors()) return false;
    if (++errors_ == kMaxSyntaxErrors) {
      diagnostics_.error(DiagId::AkpSyntax, text_.range(stop.at),
                         fmt::format("{} syntax errors; the rest of this file is not reported", kMaxSyntaxErrors));
      return false;
    }
    reportChange(text_, stop, change, diagnostics_);
    return true;
  }

  RepairedTokens& file_;
  std::vector<antlr4::Token*>& tokens_;
  WrittenTokens text_;
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

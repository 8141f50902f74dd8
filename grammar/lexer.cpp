#include "grammar/lexer.h"

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "grammar/syntax_errors.h"

namespace amdahlc::grammar {
namespace {

bool belongsToKeyword(const antlr4::atn::ATN& automaton, const antlr4::atn::ATNState& state) {
  if (state.ruleIndex >= automaton.ruleToTokenType.size()) return false;  // before all rules
  return isKeyword(automaton.ruleToTokenType[state.ruleIndex]);
}

/// Takes the keywords out of the automaton, which otherwise tells every letter from every other. A word is matched as
/// IDENT and looked up.
void matchKeywordsAsWords(const antlr4::atn::ATN& automaton) {
  antlr4::atn::ATNState& start = *automaton.modeToStartState.front();
  for (size_t i = start.transitions.size(); i-- > 0;)
    if (belongsToKeyword(automaton, *start.transitions[i]->target)) delete start.removeTransition(i);
}

/// Characters that no rule of the lexer tells apart are one to the automaton, which is built while text is read.
class CharacterClasses {
 public:
  explicit CharacterClasses(const antlr4::atn::ATN& automaton) {
    std::array<bool, kCharacters> begins{};
    for (const antlr4::atn::ATNState* state : automaton.states) {
      if (belongsToKeyword(automaton, *state)) continue;
      for (const antlr4::atn::Transition* transition : state->transitions) {
        const antlr4::misc::IntervalSet label = transition->label();
        for (const antlr4::misc::Interval& interval : label.getIntervals()) {
          if (interval.a >= 0 && interval.a < kCharacters) begins[interval.a] = true;
          if (interval.b >= 0 && interval.b + 1 < kCharacters) begins[interval.b + 1] = true;
        }
      }
    }
    for (size_t c = 1; c < kCharacters; ++c) first_[c] = static_cast<uint8_t>(begins[c] ? c : first_[c - 1]);
  }
  /// The first character of the class of a character; the end of the text is itself.
  size_t firstOf(size_t character) const { return character < kCharacters ? first_[character] : character; }

 private:
  /// Each byte of the text is a character: see parse.cpp.
  static constexpr ssize_t kCharacters = 256;
  std::array<uint8_t, kCharacters> first_{};
};

/// Guards the automaton. A thread may have several lexers.
std::recursive_mutex automatonInUse;

/// ANTLR's simulator locks the automaton for every character; a `RuleLexer` locks it for all of them.
class LexerSimulator : public antlr4::atn::LexerATNSimulator {
 public:
  LexerSimulator(antlr4::Lexer& lexer, const antlr4::atn::ATN& automaton, LexerATNSimulator& other)
      : LexerATNSimulator(&lexer, automaton, other._decisionToDFA, other.getSharedContextCache()) {
    // All lexers share the automaton.
    [[maybe_unused]] static const bool kOnce = (matchKeywordsAsWords(automaton), true);
    static const CharacterClasses kClasses(automaton);
    classes_ = &kClasses;
  }

 protected:
  antlr4::dfa::DFAState* getExistingTargetState(antlr4::dfa::DFAState* from, size_t character) override {
    const auto found = from->edges.find(classes_->firstOf(character) - MIN_DFA_EDGE);
    return found == from->edges.end() ? nullptr : found->second;
  }
  antlr4::dfa::DFAState* computeTargetState(antlr4::CharStream* input, antlr4::dfa::DFAState* from,
                                            size_t character) override {
    return LexerATNSimulator::computeTargetState(input, from, classes_->firstOf(character));
  }

 private:
  const CharacterClasses* classes_;
};

}  // namespace

std::string widened(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out.push_back(c);
    } else {
      out.push_back(static_cast<char>(0xC0 | (byte >> 6)));
      out.push_back(static_cast<char>(0x80 | (byte & 0x3F)));
    }
  }
  return out;
}

RuleLexer::RuleLexer(antlr4::CharStream* input) : AkpLexer(input), alone_(automatonInUse) {
  simulator_ = new LexerSimulator(*this, getATN(), *getInterpreter<antlr4::atn::LexerATNSimulator>());
  setInterpreter(simulator_);
  removeErrorListeners();  // every character is some token, so the lexer has no errors of its own
}

std::unique_ptr<antlr4::Token> RuleLexer::nextToken() {
  // To match a blank costs as much as to match a token.
  for (size_t c = _input->LA(1); c == ' ' || c == '\n'; c = _input->LA(1)) simulator_->consume(_input);
  return AkpLexer::nextToken();
}

antlr4::Token* RuleLexer::emit() {
  if (type == IDENT) {
    type = typeOfWord();
  } else if ((type == REGEX || type == OPEN_REGEX) && !mayStartRegex()) {
    type = SLASH;
    _input->seek(tokenStartCharIndex + 1);
    setCharPositionInLine(tokenStartCharPositionInLine + 1);
    hitEOF = false;
  }
  if (channel == antlr4::Token::DEFAULT_CHANNEL) {
    beforePrevious_ = previous_;
    previous_ = type;
  }
  return AkpLexer::emit();
}

size_t RuleLexer::typeOfWord() const {
  static const auto kKeywords = [] {
    std::unordered_map<std::string, size_t> out;
    for (size_t keyword = AKP; keyword <= WHERE; ++keyword) out.emplace(tokenText(keyword), keyword);
    return out;
  }();
  constexpr size_t kLongest = 15;
  const size_t length = _input->index() - tokenStartCharIndex;
  if (length > kLongest) return IDENT;
  std::string word;
  for (auto back = static_cast<ssize_t>(length); back > 0; --back) word += static_cast<char>(_input->LA(-back));
  const auto found = kKeywords.find(word);
  return found == kKeywords.end() ? size_t{IDENT} : found->second;
}

/// A regular expression stands where an operand may stand; after an operand, `/` divides. In `runs is /gemm/`, `is` is
/// a mistake for `as`.
bool RuleLexer::mayStartRegex() const {
  if (beforePrevious_ == RUNS && previous_ == IDENT) return true;
  return previous_ != IDENT && previous_ != INT && previous_ != FLOAT && previous_ != RPAREN && previous_ != RBRACK;
}

}  // namespace amdahlc::grammar

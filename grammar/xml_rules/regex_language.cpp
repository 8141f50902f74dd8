// Decides by automata, so that an answer is a proof.
//
// An expression becomes a nondeterministic automaton whose steps without a symbol may have conditions. It reads a name
// symbol by symbol. A thread is a state, with what the next symbol may be: `$` admits only the end, `\b` a word symbol
// or none. A look-ahead that a thread passes becomes an obligation: the threads of its own automaton, which read on
// beside it. At the end of the name a negative one must not have matched, a positive one must have. A look-behind is a
// condition on the symbols before; the threads of `.*X` for each are carried along.
//
// All that an expression remembers of the symbols read is thus a finite set: its threads with their obligations. The
// walk visits every combination of such sets that some name leads to, breadth first, and asks in each what the
// expressions say of the name that ends there. Invariant: two names that lead to one combination are accepted by the
// same expressions whatever follows. So when the walk ends without a contradiction there is none, for any name. It may
// be exponential in the expressions, and stops at a limit without an answer.
#include "grammar/xml_rules/regex_language.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <utility>

#include "support/limits.h"

namespace amdahlc::grammar::xml_rules {
namespace {

using Kind = RegexNode::Kind;

/// What may come next: bits.
enum Next : uint8_t { Word = 1, NoWord = 2, End = 4, Anything = 7 };

/// An expression that this module does not decide, or that is too large.
struct Undecided {
  std::string reason;
};

struct Thread {
  uint32_t state = 0;
  uint8_t next = Anything;
  auto operator<=>(const Thread&) const = default;
};
using Threads = std::set<Thread>;

/// A look-ahead that was passed.
struct Obligation {
  uint32_t look = 0;
  Threads threads;
  auto operator<=>(const Obligation&) const = default;
};

/// A thread that accepts if all its obligations are met.
struct Bound {
  Thread thread;
  std::set<Obligation> obligations;
  auto operator<=>(const Bound&) const = default;
};

/// All that is remembered of the symbols read.
struct Memory {
  bool atBegin = true;
  bool afterWord = false;
  std::vector<Threads> behind;
  std::set<Bound> main;
  auto operator<=>(const Memory&) const = default;
};

class Automaton {
 public:
  explicit Automaton(const RegexSide& side) {
    const uint32_t start = add();
    uint32_t from = start;
    if (side.use == RegexUse::Anywhere) {
      loop(start);
      from = add();
      states_[start].steps.push_back({from});
    }
    const uint32_t last = build(side.regex->root, from, false);
    loop(last);
    main_ = {start, last};
  }

  Memory begin() const {
    Memory memory;
    memory.behind.resize(looks_.size());
    enter(memory, {{{main_.start, Anything}, {}}});
    return memory;
  }

  Memory after(const Memory& memory, size_t symbol) const {
    Memory next;
    next.atBegin = false;
    next.afterWord = isWordSymbol(symbol);
    for (const Threads& threads : memory.behind) next.behind.push_back(advanced(threads, symbol));
    std::vector<Bound> seeds;
    for (const Bound& bound : memory.main) {
      const auto to = step(bound.thread, symbol);
      if (!to) continue;
      Bound moved{{*to, Anything}, {}};
      bool alive = true;
      for (const Obligation& obligation : bound.obligations)
        alive = alive && oblige(moved, {obligation.look, closed(advanced(obligation.threads, symbol), next)});
      if (alive) seeds.push_back(std::move(moved));
    }
    enter(next, std::move(seeds));
    return next;
  }

  bool accepts(const Memory& memory) const {
    return std::ranges::any_of(memory.main, [&](const Bound& bound) {
      if (bound.thread.state != main_.accept || (bound.thread.next & End) == 0) return false;
      return std::ranges::all_of(bound.obligations, [&](const Obligation& obligation) {
        const Look& look = looks_[obligation.look];
        const bool met = std::ranges::any_of(obligation.threads, [&](const Thread& thread) {
          return thread.state == look.part.accept && (thread.next & End) != 0;
        });
        return met != look.negative;
      });
    });
  }

  /// What `memory` takes of the limit.
  static size_t size(const Memory& memory) {
    size_t out = 1;
    for (const Threads& threads : memory.behind) out += threads.size();
    for (const Bound& bound : memory.main) {
      ++out;
      for (const Obligation& obligation : bound.obligations) out += obligation.threads.size();
    }
    return out;
  }

  void collectSets(std::vector<SymbolSet>& out) const {
    for (const State& state : states_)
      if (state.symbols.any()) out.push_back(state.symbols);
  }

 private:
  struct Step {
    uint32_t to = 0;
    Kind condition = Kind::Concat;  // none
    uint32_t look = 0;
  };
  struct State {
    std::vector<Step> steps;
    SymbolSet symbols;
    uint32_t next = 0;
  };
  struct Part {
    uint32_t start = 0;
    uint32_t accept = 0;
  };
  struct Look {
    Part part;
    bool negative = false;
    bool behind = false;
  };

  uint32_t add() {
    if (states_.size() >= limits::kXmlRegexPositions)
      throw Undecided{
          fmt::format("it has more than {} positions with its repetitions written out", limits::kXmlRegexPositions)};
    states_.emplace_back();
    return static_cast<uint32_t>(states_.size() - 1);
  }

  void loop(uint32_t state) {
    states_[state].symbols = anySymbol();
    states_[state].next = state;
  }

  /// Adds the states of `node` behind `from`; returns the last one, which has no steps yet.
  uint32_t build(const RegexNode& node, uint32_t from, bool inBehind) {
    switch (node.kind) {
      case Kind::Symbols: {
        if (node.inexact) throw Undecided{"it has characters beyond ASCII"};
        const uint32_t reads = add(), to = add();
        states_[reads].symbols = node.symbols;
        states_[reads].next = to;
        states_[from].steps.push_back({reads});
        return to;
      }
      case Kind::Concat:
      case Kind::Group:
        for (const RegexNode& part : node.parts) from = build(part, from, inBehind);
        return passing(from, {});
      case Kind::Alternate: {
        const uint32_t to = add();
        for (const RegexNode& part : node.parts) {
          const uint32_t last = build(part, passing(from, {}), inBehind);
          states_[last].steps.push_back({to});
        }
        return to;
      }
      case Kind::Repeat:
        return repeat(node, from, inBehind);
      case Kind::Look:
        return look(node, from, inBehind);
      case Kind::Begin:
        return passing(from, {0, node.kind});
      case Kind::End:
      case Kind::Boundary:
      case Kind::NoBoundary:
        if (inBehind) throw Undecided{"a look-behind depends on what follows it"};
        return passing(from, {0, node.kind});
    }
    return from;
  }

  uint32_t passing(uint32_t from, Step step) {
    step.to = add();
    states_[from].steps.push_back(step);
    return step.to;
  }

  uint32_t repeat(const RegexNode& node, uint32_t from, bool inBehind) {
    const RegexNode& part = node.parts.front();
    for (uint32_t i = 0; i < node.min; ++i) from = build(part, from, inBehind);
    if (node.max == RegexNode::kUnbounded) {
      const uint32_t again = passing(from, {});
      const uint32_t last = build(part, passing(again, {}), inBehind);
      states_[last].steps.push_back({again});
      return passing(again, {});
    }
    const uint32_t to = add();
    states_[from].steps.push_back({to});
    for (uint32_t i = node.min; i < node.max; ++i) {
      from = build(part, from, inBehind);
      states_[from].steps.push_back({to});
    }
    return to;
  }

  uint32_t look(const RegexNode& node, uint32_t from, bool inBehind) {
    if (inLook_ || inBehind) throw Undecided{"look-arounds are inside each other"};
    inLook_ = true;
    Look made{{add(), 0}, node.negative, node.behind};
    const uint32_t first = passing(made.part.start, {});
    made.part.accept = build(node.parts.front(), first, node.behind);
    if (node.behind)
      loop(made.part.start);
    else
      loop(made.part.accept);
    inLook_ = false;
    looks_.push_back(made);
    return passing(from, {0, Kind::Look, static_cast<uint32_t>(looks_.size() - 1)});
  }

  std::optional<uint32_t> step(const Thread& thread, size_t symbol) const {
    const State& state = states_[thread.state];
    const uint8_t needed = isWordSymbol(symbol) ? Word : NoWord;
    if ((thread.next & needed) == 0 || !state.symbols.test(symbol)) return std::nullopt;
    return state.next;
  }

  Threads advanced(const Threads& threads, size_t symbol) const {
    Threads out;
    for (const Thread& thread : threads)
      if (const auto to = step(thread, symbol)) out.insert({*to, Anything});
    return out;
  }

  /// The thread behind a step without a symbol, if its condition can hold. Look-arounds are not asked here.
  static std::optional<Thread> passed(const Thread& thread, const Step& step, const Memory& memory) {
    uint8_t next = thread.next;
    if (step.condition == Kind::Begin && !memory.atBegin) return std::nullopt;
    if (step.condition == Kind::End) next &= End;
    if (step.condition == Kind::Boundary) next &= memory.afterWord ? NoWord | End : Word;
    if (step.condition == Kind::NoBoundary) next &= memory.afterWord ? Word : NoWord | End;
    return next == 0 ? std::nullopt : std::optional(Thread{step.to, next});
  }

  /// With all that is reached without a symbol.
  Threads closed(Threads threads, const Memory& memory) const {
    std::vector<Thread> open(threads.begin(), threads.end());
    while (!open.empty()) {
      const Thread thread = open.back();
      open.pop_back();
      for (const Step& step : states_[thread.state].steps)
        if (const auto to = passed(thread, step, memory); to && threads.insert(*to).second) open.push_back(*to);
    }
    std::erase_if(threads, [&](const Thread& thread) { return !lasts(thread.state); });
    return threads;
  }

  /// Whether a state reads a symbol or is the last of an expression. The others only lead on.
  bool lasts(uint32_t state) const {
    return states_[state].symbols.any() || state == main_.accept ||
           std::ranges::any_of(looks_, [&](const Look& look) { return look.part.accept == state; });
  }

  /// Adds an obligation, unless it is decided already. False if it cannot be met.
  bool oblige(Bound& bound, Obligation obligation) const {
    const Look& look = looks_[obligation.look];
    if (obligation.threads.empty()) return look.negative;
    if (obligation.threads.contains({look.part.accept, Anything})) return !look.negative;
    bound.obligations.insert(std::move(obligation));
    return true;
  }

  /// Fills `memory`, after a symbol or at the begin, with what is reached from the seeds.
  void enter(Memory& memory, std::vector<Bound> open) const {
    for (size_t i = 0; i < looks_.size(); ++i) {
      if (!looks_[i].behind) continue;
      memory.behind[i].insert({looks_[i].part.start, Anything});
      memory.behind[i] = closed(std::move(memory.behind[i]), memory);
    }
    std::set<Bound> seen(open.begin(), open.end());
    while (!open.empty()) {
      const Bound bound = std::move(open.back());
      open.pop_back();
      for (const Step& step : states_[bound.thread.state].steps) {
        const auto to = passed(bound.thread, step, memory);
        if (!to) continue;
        Bound next{*to, bound.obligations};
        if (step.condition == Kind::Look && !pass(next, step.look, memory)) continue;
        if (seen.insert(next).second) open.push_back(std::move(next));
        if (seen.size() > limits::kXmlRegexStates) tooLarge();
      }
    }
    std::erase_if(seen, [&](const Bound& bound) { return !lasts(bound.thread.state); });
    // A thread that has to meet more than another in the same state adds nothing.
    for (const Bound& bound : seen) {
      const bool adds = std::none_of(seen.begin(), seen.end(), [&](const Bound& other) {
        return other.thread == bound.thread && other.obligations.size() < bound.obligations.size() &&
               std::ranges::includes(bound.obligations, other.obligations);
      });
      if (adds) memory.main.insert(bound);
    }
  }

  bool pass(Bound& bound, uint32_t index, const Memory& memory) const {
    const Look& look = looks_[index];
    if (look.behind) return memory.behind[index].contains({look.part.accept, Anything}) != look.negative;
    return oblige(bound, {index, closed({{look.part.start, Anything}}, memory)});
  }

  [[noreturn]] static void tooLarge() {
    throw Undecided{fmt::format("not decided within {} states", limits::kXmlRegexStates)};
  }

  std::vector<State> states_;
  std::vector<Look> looks_;
  Part main_;
  bool inLook_ = false;
};

/// One symbol for each class of symbols that no set tells apart; printable ones where there are any.
std::vector<size_t> representatives(const std::vector<Automaton>& automata) {
  std::vector<SymbolSet> sets;
  for (const Automaton& automaton : automata) automaton.collectSets(sets);
  std::map<std::vector<bool>, size_t> classes;
  const auto offer = [&](size_t symbol) {
    if (!anySymbol().test(symbol)) return;
    std::vector<bool> inSets{isWordSymbol(symbol)};
    for (const SymbolSet& set : sets) inSets.push_back(set.test(symbol));
    classes.emplace(std::move(inSets), symbol);
  };
  for (size_t symbol = 'a'; symbol <= 'z'; ++symbol) offer(symbol);
  for (size_t symbol = ' '; symbol < 127; ++symbol) offer(symbol);
  for (size_t symbol = 0; symbol <= kOtherSymbol; ++symbol) offer(symbol);
  std::vector<size_t> out;
  for (const auto& [inSets, symbol] : classes) out.push_back(symbol);
  std::sort(out.begin(), out.end());
  return out;
}

Decision walk(const std::vector<Automaton>& automata, const std::function<bool(const std::vector<bool>&)>& holds,
              size_t& budget) {
  struct Place {
    std::vector<Memory> memories;
    size_t from;
    size_t symbol;
  };
  const std::vector<size_t> symbols = representatives(automata);
  std::vector<Place> places;
  std::set<std::vector<Memory>> seen;
  size_t size = 0;
  const auto visit = [&](std::vector<Memory> memories, size_t from, size_t symbol) {
    if (!seen.insert(memories).second) return;
    for (const Memory& memory : memories) size += Automaton::size(memory);
    places.push_back({std::move(memories), from, symbol});
  };
  std::vector<Memory> first;
  for (const Automaton& automaton : automata) first.push_back(automaton.begin());
  visit(std::move(first), 0, 0);
  for (size_t at = 0; at < places.size(); ++at) {
    if (size > limits::kXmlRegexStates || size > budget) {
      budget -= std::min(size, budget);
      return {Decision::Answer::Unknown, "",
              budget != 0 ? fmt::format("not decided within {} states", limits::kXmlRegexStates)
                          : fmt::format("not decided within the {} states of a library", limits::kXmlRegexStatesOfAll)};
    }
    std::vector<bool> accepted;
    for (size_t i = 0; i < automata.size(); ++i) accepted.push_back(automata[i].accepts(places[at].memories[i]));
    if (!holds(accepted)) {
      std::string name;
      for (size_t i = at; i != 0; i = places[i].from)
        name += places[i].symbol == kOtherSymbol ? '?' : static_cast<char>(places[i].symbol);
      budget -= size;
      return {Decision::Answer::Fails, {name.rbegin(), name.rend()}, ""};
    }
    for (const size_t symbol : symbols) {
      std::vector<Memory> next;
      for (size_t i = 0; i < automata.size(); ++i) next.push_back(automata[i].after(places[at].memories[i], symbol));
      visit(std::move(next), at, symbol);
    }
  }
  budget -= size;
  return {Decision::Answer::Holds, "", ""};
}

}  // namespace

Decision holdsForEveryName(const std::vector<RegexSide>& sides,
                           const std::function<bool(const std::vector<bool>&)>& holds, size_t& budget) {
  if (budget == 0)
    return {Decision::Answer::Unknown, "",
            fmt::format("not decided within the {} states of a library", limits::kXmlRegexStatesOfAll)};
  try {
    std::vector<Automaton> automata;
    for (const RegexSide& side : sides) automata.emplace_back(side);
    return walk(automata, holds, budget);
  } catch (const Undecided& undecided) {
    // What was too large has cost as much as the largest that is decided.
    budget -= std::min<size_t>(limits::kXmlRegexStates, budget);
    return {Decision::Answer::Unknown, "", undecided.reason};
  }
}

}  // namespace amdahlc::grammar::xml_rules

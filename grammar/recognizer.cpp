// Follows ANTLR's network (ATN) of the grammar in all alternatives at once, with a stack that the alternatives share.
// A generated parser decides for one alternative and throws where it is wrong: for a trial of a few tokens that costs
// a hundred times as much.

#include "grammar/recognizer.h"

#include <algorithm>
#include <bitset>

#include "AkpParser.h"
#include "antlr4-runtime.h"

namespace amdahlc::grammar {
namespace {

using P = generated::AkpParser;
using antlr4::atn::ATNState;
using antlr4::atn::RuleTransition;
using antlr4::atn::Transition;

constexpr size_t kMaxTypes = 128;
using Types = std::bitset<kMaxTypes>;

struct Edge {
  enum class Kind : uint8_t { Free, Rule, Token };
  Kind kind = Kind::Free;
  /// The first state of the rule for a rule.
  uint32_t target = 0;
  /// Behind the rule.
  uint32_t follow = 0;
  /// Of a token.
  Types types;
};

struct State {
  bool endsRule = false;
  /// In a rule of the grammar in which keywords are names.
  bool isInName = false;
  /// Whether the end of its rule can be reached without a token.
  bool canEndRule = false;
  /// The tokens that can be next within its rule.
  Types first;
  std::vector<Edge> edges;
};

Types typesIn(const antlr4::misc::IntervalSet& set) {
  Types out;
  for (const ssize_t type : set.toList())
    if (type >= 0) out.set(static_cast<size_t>(type));
  return out;
}

/// The network in tables. The state behind its last one is that between two declarations.
struct Network {
  std::vector<State> states;
  uint32_t declaration = 0;
  uint32_t version = 0;
  uint32_t between = 0;

  explicit Network(const antlr4::atn::ATN& automaton) {
    states.resize(automaton.states.size());
    for (ATNState* from : automaton.states)
      if (from) fill(states[from->stateNumber], *from, automaton);
    declaration = static_cast<uint32_t>(automaton.ruleToStartState[P::RuleItem]->stateNumber);
    version = static_cast<uint32_t>(automaton.ruleToStartState[P::RuleVersion]->stateNumber);
    between = static_cast<uint32_t>(states.size());
  }

  /// Whether `type` can be next at `state`, or next behind its rule.
  bool goesOn(uint32_t state, size_t type) const {
    if (state == between) return true;
    const State& s = states[state];
    return s.canEndRule || (type < kMaxTypes && s.first[type]);
  }

 private:
  static void fill(State& state, ATNState& from, const antlr4::atn::ATN& automaton) {
    state.endsRule = from.getStateType() == ATNState::RULE_STOP;
    state.isInName = from.ruleIndex == P::RuleIdent || from.ruleIndex == P::RuleNamePart;
    if (state.endsRule) {
      state.canEndRule = true;
      return;
    }
    const antlr4::misc::IntervalSet& next = automaton.nextTokens(&from);
    state.canEndRule = next.contains(antlr4::Token::EPSILON);
    state.first = typesIn(next);
    for (const Transition* transition : from.transitions) {
      Edge edge;
      edge.target = static_cast<uint32_t>(transition->target->stateNumber);
      if (transition->getSerializationType() == Transition::RULE) {
        edge.kind = Edge::Kind::Rule;
        edge.follow = static_cast<uint32_t>(static_cast<const RuleTransition*>(transition)->followState->stateNumber);
      } else if (!transition->isEpsilon()) {
        edge.kind = Edge::Kind::Token;
        edge.types = typesIn(transition->label());
      }
      state.edges.push_back(edge);
    }
  }
};

const Network& network() {
  static const Network kNetwork(P(nullptr).getATN());
  return kNetwork;
}

}  // namespace

// The frame below all others is between two declarations, and below itself.
Recognizer::Recognizer()
    : frames_({{network().between, network().between, false, {0}}}), seen_(network().between + size_t{1}) {}

Recognizer::Places Recognizer::start(bool ofFile) {
  release(1);
  Places out{{network().between, 0}};
  if (ofFile) out.push_back({network().version, 0});
  return out;
}

bool Recognizer::advance(Places& places, size_t type) {
  follow(places, type);
  places.swap(next_);
  return !places.empty();
}

bool Recognizer::fitsAsKeyword(Places places, size_t type) {
  const size_t before = mark();
  advance(places, type);
  release(before);
  return std::ranges::any_of(places, [](const Place& place) { return !network().states[place.state].isInName; });
}

bool Recognizer::canEnd(const Places& places) {
  const size_t before = mark();
  follow(places, antlr4::Token::EOF);
  release(before);
  return canEnd_;
}

void Recognizer::add(Place place) {
  if (!network().goesOn(place.state, type_)) return;
  std::vector<uint32_t>& frames = seen_[place.state];
  if (std::ranges::find(frames, place.frame) != frames.end()) return;
  if (frames.empty()) seenStates_.push_back(place.state);
  frames.push_back(place.frame);
  work_.push_back(place);
}

void Recognizer::enter(uint32_t rule, uint32_t follow, uint32_t below) {
  const auto known = std::ranges::find_if(made_, [&](uint32_t frame) {
    // What follows alternatives is one state.
    return frames_[frame].rule == rule && frames_[frame].follow == follow;
  });
  if (known == made_.end()) {
    const auto frame = static_cast<uint32_t>(frames_.size());
    frames_.push_back({rule, follow, false, {below}});
    made_.push_back(frame);
    add({rule, frame});
    return;
  }
  Frame& frame = frames_[*known];
  if (std::ranges::find(frame.below, below) != frame.below.end()) return;
  frame.below.push_back(below);
  if (frame.left) add({follow, below});
}

void Recognizer::leave(uint32_t frame) {
  frames_[frame].left = true;
  for (size_t i = 0; i < frames_[frame].below.size(); ++i) add({frames_[frame].follow, frames_[frame].below[i]});
}

void Recognizer::follow(const Places& places, size_t type) {
  const Network& net = network();
  for (const uint32_t state : seenStates_) seen_[state].clear();
  seenStates_.clear();
  next_.clear();
  made_.clear();
  type_ = type;
  canEnd_ = false;
  for (const Place& place : places) add(place);
  while (!work_.empty()) {
    const auto [at, frame] = work_.back();
    work_.pop_back();
    if (at == net.between) {
      canEnd_ = true;
      add({net.declaration, 0});
      continue;
    }
    const State& state = net.states[at];
    if (state.endsRule) {
      leave(frame);
      continue;
    }
    for (const Edge& edge : state.edges) {
      if (edge.kind == Edge::Kind::Free) add({edge.target, frame});
      if (edge.kind == Edge::Kind::Rule && net.goesOn(edge.target, type)) enter(edge.target, edge.follow, frame);
      if (edge.kind == Edge::Kind::Token && type < kMaxTypes && edge.types[type]) next_.push_back({edge.target, frame});
    }
  }
}

}  // namespace amdahlc::grammar

/// Tells how far a sequence of tokens can begin a rule file, for many sequences that share their beginnings. It builds
/// no tree and throws nothing, so a trial costs the tokens in which it differs. Private to this component.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace amdahlc::grammar {

/// All places in the grammar where a parser can be before a token.
class Recognizer {
 public:
  /// A state of ANTLR's network for the grammar, and what follows the rules that have been entered.
  struct Place {
    uint32_t state = 0;
    uint32_t frame = 0;
  };
  using Places = std::vector<Place>;

  Recognizer();

  /// The places before a declaration, or before the version if there is one at the start of a file. All others become
  /// invalid.
  Places start(bool ofFile);
  /// Goes on behind a token of a type. Returns whether it fits.
  bool advance(Places& places, size_t type);
  /// Whether a keyword fits, not only as a name.
  bool fitsAsKeyword(Places places, size_t type);
  /// Whether the file can end there.
  bool canEnd(const Places& places);

  /// Frees what was made since `mark()`: places that `advance` reached since then must not be used again.
  size_t mark() const { return frames_.size(); }
  void release(size_t mark) { frames_.resize(mark); }

 private:
  /// Where to go on behind a rule: one node of a stack, which several stacks share, after Tomita (1985).
  struct Frame {
    /// The first state of the rule.
    uint32_t rule = 0;
    uint32_t follow = 0;
    /// Whether the rule was left without a token. Only while the places before one token are computed.
    bool left = false;
    std::vector<uint32_t> below;
  };

  void add(Place place);
  void enter(uint32_t rule, uint32_t follow, uint32_t below);
  void leave(uint32_t frame);
  /// Follows all transitions that need no token from `places`, and puts the places behind `type` into `next_`.
  void follow(const Places& places, size_t type);

  std::vector<Frame> frames_;
  // For one token:
  size_t type_ = 0;
  /// The frames of a state with which it is in `work_` or was, and the states that have any.
  std::vector<std::vector<uint32_t>> seen_;
  std::vector<uint32_t> seenStates_;
  Places work_;
  Places next_;
  std::vector<uint32_t> made_;
  bool canEnd_ = false;
};

}  // namespace amdahlc::grammar

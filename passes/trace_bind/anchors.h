/// Anchors: places of the program that calls can only be at, by what runs around them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "passes/trace_bind/align.h"

namespace amdahlc::binding {

struct Anchor {
  size_t call = 0;
  uint32_t position = 0;
};

/// The calls and the units that must run, as words over one alphabet: calls that fit the same units best are one
/// letter, and so are these units. A sequence of letters that occurs once in the word of the program is an anchor
/// wherever it occurs in that of the calls. O(n log n) for n calls and positions.
class Anchors {
 public:
  Anchors(const Program& program, std::span<const AlignedCall> calls);

  /// The longest chain of anchors that ascends in calls and positions.
  std::vector<Anchor> chain() const;
  /// Whether one in 16 of the long sequences of the calls occurs in the program, once or more often.
  bool areFamiliar() const { return familiar_; }
  /// The calls at which the program begins again: where long sequences lead back by more than half of it. Ascending,
  /// without the first call.
  std::vector<size_t> restarts() const;

 private:
  struct Letter {
    uint32_t letter = 0;
    /// The call, or the position.
    size_t place = 0;
  };
  void spell(const Program& program, std::span<const AlignedCall> calls);
  void find();

  std::vector<Letter> calls_, program_;
  bool familiar_ = false;
  /// At most one for each call, ascending by call: that of the longest sequence.
  std::vector<Anchor> anchors_;
  /// Indices of letters: of the calls and of the program.
  struct Match {
    size_t call = 0, unit = 0;
  };
  /// Those of the long sequences, ascending by call.
  std::vector<Match> long_;
};

}  // namespace amdahlc::binding

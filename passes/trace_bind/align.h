/// Alignment of the calls of one segment of a trace with the units of a program.
///
/// Objective: walk along the program and give each call, in launch order, a unit of it or none, so that the sum of the
/// log-odds is the largest: of each pair (Option::score), of each call without a unit, of each unit that is passed
/// without a call (Program::walk), and of each jump.
///
/// State: (number of calls consumed, position in the program).
///
/// Transitions:
///   - match: call i runs the unit behind the position; both advance. An option of several calls consumes all of them.
///   - unbound: call i is consumed, the position stays.
///   - skip: the position advances over a unit without a call. Skips in a row cost at most one Jump, because a jump
///     reaches the same position.
///   - edge: past a branch of an `If`. There is no way from one branch into the other.
///   - trip: from the end of a loop's body back to its begin.
///   - restart: from the end of the program back to its begin, if a forward may begin inside the segment.
///
/// With n calls and p positions the cost is O(n * p) time, and the result is exact. Above kExactCells cells only a band
/// of positions is visited for each call: around the line between anchors (anchors.h). Where the calls go through a
/// loop's body again and again, it is around one such line for each trip. The band is widened fourfold until the path
/// keeps away from its border; then nothing that lies nearer to the path than the border was left out.
///
/// Memory: one block of rows is held at a time, of at most kBlockCells cells or of one row. A cell takes four bytes, a
/// match 16. Of each block the scores before it are kept, eight bytes a position. The path is traced back block by
/// block, and all but the last are computed again for that. Any two neighbors together have more than kBlockCells
/// cells. So kMostCells allows 13 blocks of wide rows; with rows of up to 65 positions there is a block for each
/// 120,000 calls at most, and its scores take about 0.5 kB. All else has a constant size per call.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "passes/trace_bind/program.h"

namespace amdahlc::binding {

/// A call of the segment, as the aligner sees it.
struct AlignedCall {
  /// Ascending by step.
  std::span<const Option> options;
  /// Added to each option.
  Score penalty = 0;
  Score unbound = 0;
};

struct CallBinding {
  /// nullopt: unbound. With several calls, the same for each of them.
  std::optional<Option> option;
  /// The first of the option's calls, or the only one. What is counted once for a binding is counted here.
  bool first = true;
  /// Counts restarts in the segment.
  uint32_t forward = 0;
  /// Paired after the alignment, against its order.
  bool leftover = false;
};

/// The positions [low, high] that are visited after each number of calls, 0 to n.
struct Band {
  std::vector<uint32_t> low, high;
};

struct Alignment {
  int64_t score = 0;
  /// By call.
  std::vector<CallBinding> calls;
  /// Trips of each loop operator with a bound call in its body; of an inner loop, summed over the trips around it.
  std::map<ir::OpId, int64_t> trips;
  Band band;
  int64_t cells = 0;
  /// No stretch of the calls runs a stretch of the program, so that no wider band was tried.
  bool hopeless = false;
};

inline constexpr int64_t kExactCells = 1'000'000;
/// No band is widened to more cells, which bounds time. Only rows of up to 65 positions may have more in all.
inline constexpr int64_t kMostCells = 100'000'000;
/// Most segments fit into one block, whose rows are computed once.
inline constexpr int64_t kBlockCells = 16'000'000;

/// Adds what is known beyond the options: the score of this option for this call, the same whenever it is asked for.
using Bonus = std::function<Score(size_t call, const Option& option)>;

/// The result does not depend on `blockCells`.
Alignment align(const Program& program, std::span<const AlignedCall> calls, bool restarts, const Bonus& bonus,
                int64_t blockCells = kBlockCells);

/// The probability of a call's binding among all alignments, and the most probable other one.
struct Posterior {
  double chosen = 0;
  /// Of the option that is most probable among the others; 0 without one.
  double other = 0;
  AlternativeId otherAlternative = kNoAlternative;
  double unbound = 0;
};

/// By forward and backward sums over the same transitions. The trips of loops are not told apart.
/// A restart is possible only if the alignment has one.
/// Memory: eight bytes for each cell of one block of rows, and of the first rows of each block ahead: as many rows as
/// an option takes calls. The result does not depend on `blockCells`.
std::vector<Posterior> posterior(const Program& program, std::span<const AlignedCall> calls, const Alignment& alignment,
                                 int64_t blockCells = kBlockCells);

/// Whether no two bindings of one forward are to the same alternative, except in loops. Holds for every alignment, also
/// after calls that are left over were paired.
bool bindsOnce(const Alignment& alignment, const Program& program);

}  // namespace amdahlc::binding

#include "passes/trace_bind/align.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "passes/trace_bind/band.h"

namespace amdahlc::binding {

namespace {

/// The score of a whole way. With millions of calls it may exceed what a Score holds.
using Sum = int64_t;
/// Where no way leads. Scores are added to it as to others: all below half of it is unreached, and no way comes near.
constexpr Sum kUnreached = std::numeric_limits<Sum>::min() / 2;

/// Moves along the program without a call, in place: `score` by position, and where each best walk began. Both are
/// indexed by position less `low`.
class Closure {
 public:
  /// Set in an origin if the walk from it went back.
  static constexpr uint32_t kWentBack = 0x80000000u;

  Closure(const Program& program, bool restarts) : program_(program), restarts_(restarts) {}

  void apply(std::vector<Sum>& score, std::vector<uint32_t>& origin, uint32_t low, uint32_t high) {
    low_ = low;
    high_ = high;
    for (uint32_t p = low; p <= high; ++p) origin[p - low] = p;
    sweep(score, origin, low, high);
    backInLoops(score, origin);
    if (restarts_) {
      back(score, origin, 0, program_.end(), value(evidence::Row::Restart));
      backInLoops(score, origin);
    }
  }

 private:
  /// Of equal scores the earlier match is kept: a walk replaces a match that ends where it leads.
  bool improve(std::vector<Sum>& score, std::vector<uint32_t>& origin, uint32_t to, Sum value, uint32_t from) {
    if (value < score[to - low_] || value < kUnreached / 2) return false;
    score[to - low_] = value;
    origin[to - low_] = from;
    return true;
  }
  void sweep(std::vector<Sum>& score, std::vector<uint32_t>& origin, uint32_t begin, uint32_t end) {
    const auto& edges = program_.edges();
    auto edge = std::ranges::lower_bound(edges, begin + 1, {}, &Program::Edge::to);
    far_.resize(score.size());
    Far far{score[begin - low_], origin[begin - low_]};
    far_[begin - low_] = far;
    for (uint32_t p = begin + 1; p <= end; ++p) {
      if (program_.walk(p - 1) != kImpossible)
        improve(score, origin, p, score[p - 1 - low_] + program_.walk(p - 1), origin[p - 1 - low_]);
      else
        far = {kUnreached, p};
      for (; edge != edges.end() && edge->to == p; ++edge) {
        if (edge->from < begin) continue;
        improve(score, origin, p, score[edge->from - low_] + edge->cost, origin[edge->from - low_]);
        if (far_[edge->from - low_].score > far.score) far = far_[edge->from - low_];
      }
      improve(score, origin, p, far.score + value(evidence::Row::Jump), far.origin);
      if (score[p - low_] > far.score) far = {score[p - low_], origin[p - low_]};
      far_[p - low_] = far;
    }
  }
  void backInLoops(std::vector<Sum>& score, std::vector<uint32_t>& origin) {
    const auto& loops = program_.loops();
    const auto first = std::ranges::lower_bound(loops, low_, {}, &Program::Loop::end);
    for (auto loop = first; loop != loops.end() && loop->end <= high_; ++loop)
      back(score, origin, loop->begin, loop->end, loop->cost);
  }
  void back(std::vector<Sum>& score, std::vector<uint32_t>& origin, uint32_t begin, uint32_t end, Score cost) {
    if (begin < low_ || end > high_) return;
    const Sum value = score[end - low_];
    if (value < kUnreached / 2 || value + cost <= score[begin - low_]) return;
    improve(score, origin, begin, value + cost, origin[end - low_] | kWentBack);
    sweep(score, origin, begin, end);
  }

  const Program& program_;
  bool restarts_;
  uint32_t low_ = 0, high_ = 0;
  struct Far {
    Sum score;
    uint32_t origin;
  };
  /// The best score of the positions from which each one can be reached, for jumps: none leads from one branch of an
  /// `If` into another.
  std::vector<Far> far_;
};

/// One alignment inside a band.
class BandAligner {
 public:
  BandAligner(const Program& program, std::span<const AlignedCall> calls, bool restarts, const Bonus& bonus, Band band,
              int64_t blockCells)
      : program_(program),
        calls_(calls),
        bonus_(bonus),
        band_(std::move(band)),
        blocks_(blocksOf(band_, blockCells)),
        closure_(program, restarts) {}

  Alignment run() {
    forward();
    Alignment result = traceBack();
    for (size_t row = 0; row <= calls_.size(); ++row) result.cells += widthOf(band_, row);
    result.band = std::move(band_);
    return result;
  }
  /// Whether the path came near the border of the band.
  bool touchesBorder() const { return touches_; }

 private:
  struct Pending {
    uint32_t position;
    Sum score;
    const Option* option;
  };
  /// All that the rows ahead depend on.
  struct State {
    /// Of the row behind, by position of the band.
    std::vector<Sum> score;
    /// Options of several calls, by the row in which they end.
    std::map<size_t, std::vector<Pending>> pending;
  };

  void forward() {
    State state;
    state.score.assign(band_.high[0] + 1, kUnreached);
    state.score[0] = 0;
    for (size_t block = 0; block + 1 < blocks_.size(); ++block) {
      // The last block is still there when the path is traced back.
      if (block + 2 < blocks_.size()) before_.push_back(state);
      visit(block, state);
    }
    score_ = state.score[program_.end() - band_.low.back()];
  }

  /// The rows of a block, from the state before it to the one behind.
  void visit(size_t block, State& state) {
    first_ = blocks_[block];
    const size_t end = blocks_[block + 1];
    origins_.assign(end - first_, {});
    matched_.assign(end - first_, {});
    for (size_t row = first_; row < end; ++row) {
      if (row > 0) consume(row - 1, state);
      origins_[row - first_].resize(state.score.size());
      closure_.apply(state.score, origins_[row - first_], band_.low[row], band_.high[row]);
    }
  }

  /// From the row before call i to the one behind, without walks.
  void consume(size_t i, State& state) {
    const auto& score = state.score;
    const AlignedCall& call = calls_[i];
    const uint32_t low = band_.low[i], high = band_.high[i], nextLow = band_.low[i + 1], nextHigh = band_.high[i + 1];
    next_.assign(nextHigh - nextLow + 1, kUnreached);
    for (uint32_t p = std::max(low, nextLow); p <= std::min(high, nextHigh); ++p)
      next_[p - nextLow] = score[p - low] + call.unbound;
    auto& ends = matched_[i + 1 - first_];
    for (const Option& option : optionsIn(call.options, low, high)) {
      if (score[option.from - low] < kUnreached / 2) continue;
      const Sum value = score[option.from - low] + option.score + call.penalty + (bonus_ ? bonus_(i, option) : 0);
      if (option.calls > 1) {
        if (i + option.calls <= calls_.size()) state.pending[i + option.calls].push_back({option.to, value, &option});
        continue;
      }
      if (option.to < nextLow || option.to > nextHigh || value <= next_[option.to - nextLow]) continue;
      next_[option.to - nextLow] = value;
      ends.emplace_back(option.to, &option);
    }
    if (const auto ended = state.pending.extract(i + 1)) {
      for (const Pending& one : ended.mapped()) {
        if (one.position < nextLow || one.position > nextHigh || one.score <= next_[one.position - nextLow]) continue;
        next_[one.position - nextLow] = one.score;
        ends.emplace_back(one.position, one.option);
      }
    }
    std::swap(state.score, next_);
  }

  /// To the block of a row before the block at hand, which is computed again.
  void goBack(size_t row) {
    const auto behind = std::ranges::upper_bound(blocks_, row);
    before_.resize(static_cast<size_t>(behind - blocks_.begin()));
    visit(before_.size() - 1, before_.back());
  }

  void noteBorder(size_t row, uint32_t position) {
    constexpr uint32_t kNear = 16;
    touches_ |= position < band_.low[row] + kNear && band_.low[row] > 0;
    touches_ |= position + kNear > band_.high[row] && band_.high[row] < program_.end();
  }

  Alignment traceBack() {
    Alignment result;
    const size_t n = calls_.size();
    result.calls.resize(n);
    if (score_ < kUnreached / 2) {
      // The band begins in one branch of an `If` and ends in another. In no wider band, all calls are unbound.
      touches_ = true;
      result.score = value(evidence::Row::Jump);
      for (const AlignedCall& call : calls_) result.score += call.unbound;
      return result;
    }
    result.score = score_;
    uint32_t at = program_.end();
    int64_t forward = 0;
    const auto& loops = program_.loops();
    std::vector<int64_t> returns(loops.size(), 0);
    std::vector<bool> entered(loops.size(), false);
    const auto countReturn = [&](uint32_t from, uint32_t to) {
      const auto [low, high] = std::minmax(from, to);
      size_t innermost = Program::kNoLoop;
      for (const uint32_t position : {high, high - 1}) {
        if (position >= program_.end()) continue;
        size_t loop = program_.loopAt(position);
        while (loop != Program::kNoLoop && loops[loop].begin > low) loop = loops[loop].around;
        innermost = std::min(innermost, loop);
      }
      ++(innermost == Program::kNoLoop ? forward : returns[innermost]);
    };
    for (size_t i = n; i > 0;) {
      if (i < first_) goBack(i);
      const uint32_t walk = origins_[i - first_][at - band_.low[i]], origin = walk & ~Closure::kWentBack;
      // The way back may lead ahead: from one branch of an `If` into the next.
      if (walk & Closure::kWentBack) countReturn(origin, at);
      at = origin;
      noteBorder(i, at);
      result.calls[i - 1].forward = static_cast<uint32_t>(forward);
      const auto& ends = matched_[i - first_];
      const auto end = std::find_if(ends.rbegin(), ends.rend(), [&](const auto& match) { return match.first == at; });
      if (end == ends.rend()) {
        --i;
        continue;
      }
      const Option& option = *end->second;
      for (uint32_t k = 0; k < option.calls; ++k)
        result.calls[i - 1 - k] = {option, k + 1 == option.calls, static_cast<uint32_t>(forward), false};
      i -= option.calls;
      at = option.from;
      for (size_t loop = at < program_.end() ? program_.loopAt(at) : Program::kNoLoop;
           loop != Program::kNoLoop && !entered[loop]; loop = loops[loop].around)
        entered[loop] = true;
    }
    // An inner loop begins anew in each trip of the one around it. Outer loops are listed after inner ones.
    for (size_t loop = loops.size(); loop-- > 0;) {
      returns[loop] += loops[loop].around == Program::kNoLoop ? forward + 1 : returns[loops[loop].around];
      if (entered[loop]) result.trips[loops[loop].op] = returns[loop];
    }
    // Forwards count from the begin of the segment.
    for (CallBinding& call : result.calls) call.forward = static_cast<uint32_t>(forward) - call.forward;
    return result;
  }

  const Program& program_;
  std::span<const AlignedCall> calls_;
  const Bonus& bonus_;
  Band band_;
  /// The first row of each block, and the number of rows.
  std::vector<size_t> blocks_;
  Closure closure_;
  std::vector<Sum> next_;
  /// Before each block but the last.
  std::vector<State> before_;
  /// The first row of the block at hand, from which the rows of the next two count.
  size_t first_ = 0;
  /// After i calls, by position of the band: where the best walk to it began.
  std::vector<std::vector<uint32_t>> origins_;
  /// (position, option) where the i-th call's match ended, the last of a position being the best.
  std::vector<std::vector<std::pair<uint32_t, const Option*>>> matched_;
  Sum score_ = 0;
  bool touches_ = false;
};

/// By call: no alignment has more of it.
std::vector<Score> mostOf(std::span<const AlignedCall> calls) {
  // Calls of a kind share their options.
  std::unordered_map<const Option*, Score> bestOf;  // looked up only
  bool several = false;
  for (const AlignedCall& call : calls) {
    const auto [entry, isNew] = bestOf.try_emplace(call.options.data(), std::numeric_limits<Score>::min() / 2);
    if (!isNew) continue;
    for (const Option& option : call.options) {
      entry->second = std::max(entry->second, option.score);
      several |= option.calls > 1;
    }
  }
  std::vector<Score> most;
  for (const AlignedCall& call : calls) {
    Score best = std::max(call.unbound, bestOf.at(call.options.data()) + call.penalty);
    // A call that the option of an earlier one takes costs nothing.
    if (several) best = std::max(best, 0);
    most.push_back(best);
  }
  return most;
}

/// Whether a wider band may find a way that is much better: some stretches of calls run a stretch of the program. Where
/// none does, the calls are no run of the program, and no band makes them one.
/// `most` is that of each call (`mostOf`).
bool isPromising(const Program& program, std::span<const AlignedCall> calls, const std::vector<Score>& most,
                 const Alignment& alignment) {
  constexpr size_t kStretch = 32, kPart = 16;
  std::vector<Sum> walked{0};
  for (uint32_t position = 0; position < program.end(); ++position)
    walked.push_back(walked.back() + std::max(program.walk(position), value(evidence::Row::Jump)));
  size_t stretches = 0, good = 0;
  Sum possible = 0, reached = 0;
  uint32_t at = 0;
  for (size_t i = 0; i < calls.size(); ++i) {
    possible += most[i];
    const auto& option = alignment.calls[i].option;
    if (!option) {
      reached += calls[i].unbound;
    } else if (alignment.calls[i].first) {
      reached += option->score + calls[i].penalty;
      if (option->from > at) reached += std::max<Sum>(walked[option->from] - walked[at], value(evidence::Row::Jump));
      at = option->to;
    }
    if ((i + 1) % kStretch > 0) continue;
    if (possible > 0) {
      ++stretches;
      good += 2 * reached >= possible;
    }
    possible = reached = 0;
  }
  return stretches == 0 || good * kPart >= stretches;
}

}  // namespace

Alignment align(const Program& program, std::span<const AlignedCall> calls, bool restarts, const Bonus& bonus,
                int64_t blockCells) {
  const auto rows = static_cast<int64_t>(calls.size()) + 1, positions = int64_t{program.end()} + 1;
  constexpr uint32_t kFirstWidth = 32;
  // What an alignment along the trips of a loop may lack for each call. An unbound call lacks a multiple of it.
  constexpr int64_t kTripLoss = 100;
  int64_t cells = 0;
  std::vector<Score> most;
  std::optional<Anchors> anchors;
  // If more than kMostCells would have to be visited, the widest band so far decides.
  const auto canWiden = [&](uint32_t width) { return rows * std::min(positions, int64_t{8} * width) <= kMostCells; };
  // The alignment in a band that is widened while the path comes near its border, if `isGood` says so.
  const auto alignIn = [&](uint32_t mostWidth, const auto& bandOf, const auto& isGood) -> std::optional<Alignment> {
    for (uint32_t width = kFirstWidth; 2 * width < mostWidth; width *= 4) {
      BandAligner aligner(program, calls, false, bonus, bandOf(width), blockCells);
      Alignment result = aligner.run();
      cells += result.cells;
      result.hopeless = !anchors->areFamiliar() && !isPromising(program, calls, most, result);
      if (aligner.touchesBorder() && canWiden(width) && !result.hopeless) continue;
      if (!isGood(result)) break;
      result.cells = cells;
      return result;
    }
    return std::nullopt;
  };
  if (rows * positions > kExactCells) {
    most = mostOf(calls);
    anchors.emplace(program, calls);
    const std::vector<Anchor> chain = anchors->chain();
    const int64_t upperBound = std::accumulate(most.begin(), most.end(), int64_t{0});
    if (const auto trips = tripsOf(program, calls))
      if (auto result = alignIn(
              trips->loop.end - trips->loop.begin,
              [&](uint32_t width) { return bandAlongTrips(program, calls.size(), *trips, width); },
              [&](const Alignment& along) {
                // If what repeats is not a trip, most calls are unbound.
                return upperBound - along.score <= kTripLoss * static_cast<int64_t>(calls.size());
              }))
        return std::move(*result);
    if (auto result = alignIn(
            program.end(), [&](uint32_t width) { return bandAroundAnchors(program, calls.size(), chain, width); },
            [&](const Alignment& around) {
              if (around.hopeless) return true;
              // A path with a restart needs all positions. It is impossible that one is better if this one lacks less
              // than a restart costs; with a bonus that is not known.
              const bool mayRestart = restarts && (bonus || upperBound - around.score > -value(evidence::Row::Restart));
              return !mayRestart || rows * positions > kMostCells;
            }))
      return std::move(*result);
  }
  BandAligner aligner(program, calls, restarts, bonus, fullBand(program, calls.size()), blockCells);
  Alignment result = aligner.run();
  result.cells += cells;
  return result;
}

bool bindsOnce(const Alignment& alignment, const Program& program) {
  std::vector<std::pair<uint32_t, AlternativeId>> bound;
  for (const CallBinding& call : alignment.calls)
    if (call.option && call.first && program.loopAt(call.option->from) == Program::kNoLoop)
      bound.emplace_back(call.forward, call.option->alternative);
  std::ranges::sort(bound);
  return std::ranges::adjacent_find(bound) == bound.end();
}

}  // namespace amdahlc::binding

/// Forward and backward sums over the transitions of align.h. Sums of a row are scaled by its largest one; what is a
/// factor of e^700 smaller is lost, and is no probability.
///
/// Rows hold where a match ended, and walks lead from there straight to the next match or to the end. A call without a
/// unit has no position: an alignment counts once, wherever between two matches its unbound calls might lie.
#include <algorithm>
#include <cmath>
#include <map>

#include "passes/trace_bind/align.h"
#include "passes/trace_bind/band.h"

namespace amdahlc::binding {

namespace {

double probability(Score score) { return score <= kImpossible / 2 ? 0.0 : std::exp(score / 100.0); }

/// Walks without a call as a linear map of a row, and its transpose.
class WalkSums {
 public:
  WalkSums(const Program& program, bool restarts) {
    walk_.reserve(program.end());
    passed_.push_back(0);
    for (uint32_t p = 0; p < program.end(); ++p) {
      const double skipped = probability(program.walk(p));
      walk_.push_back(skipped / (1 + skipped));
      passed_.push_back(passed_.back() + std::log1p(skipped));
    }
    for (const Program::Edge& edge : program.edges()) edges_.push_back({edge.from, edge.to, probability(edge.cost)});
    for (const Program::Loop& loop : program.loops()) backs_.push_back({loop.begin, loop.end, probability(loop.cost)});
    if (restarts) backs_.push_back({0, program.end(), probability(value(evidence::Row::Restart))});
  }

  /// The probability factor of an option. Each unit on a way is either skipped or not, and the two sum to 1: else the
  /// many ways to skip cheap units would outweigh the one in which all of them ran.
  double weight(const Option& option, Score penalty) const {
    return std::exp((option.score + penalty) / 100.0 - (passed_[option.to] - passed_[option.from]));
  }

  /// `row` holds the positions from `low` on.
  void forward(std::vector<double>& row, uint32_t low) {
    shifted(row, low);
    for (const Back& back : backsInside(row, low)) {
      if (back.begin < low) continue;
      delta_.assign(back.end - back.begin + 1, 0);
      delta_[0] = row[back.end - low] * back.weight;
      shifted(delta_, back.begin);
      for (size_t i = 0; i < delta_.size(); ++i) row[back.begin - low + i] += delta_[i];
    }
  }
  void backward(std::vector<double>& row, uint32_t low) {
    const auto backs = backsInside(row, low);
    for (auto back = backs.rbegin(); back != backs.rend(); ++back) {
      if (back->begin < low) continue;
      delta_.assign(row.begin() + (back->begin - low), row.begin() + (back->end - low) + 1);
      unshifted(delta_, back->begin);
      row[back->end - low] += delta_[0] * back->weight;
    }
    unshifted(row, low);
  }

 private:
  struct Edge {
    uint32_t from, to;
    double weight;
  };
  struct Back {
    uint32_t begin, end;
    double weight;
  };
  /// Those that end in the row.
  std::span<const Back> backsInside(const std::vector<double>& row, uint32_t low) const {
    const auto first = std::ranges::lower_bound(backs_, low, {}, &Back::end);
    const auto last = std::ranges::lower_bound(first, backs_.end(), low + row.size(), {}, &Back::end);
    return {first, last};
  }
  /// `part` holds the positions from `begin` on.
  void shifted(std::vector<double>& part, uint32_t begin) const {
    static const double kJump = probability(value(evidence::Row::Jump));
    auto edge = std::ranges::lower_bound(edges_, begin + 1, {}, &Edge::to);
    double before = part[0];
    for (size_t i = 1; i < part.size(); ++i) {
      const double own = part[i];
      part[i] += part[i - 1] * walk_[begin + i - 1] + before * kJump;
      for (; edge != edges_.end() && edge->to == begin + i; ++edge)
        if (edge->from >= begin) part[i] += part[edge->from - begin] * edge->weight;
      before += own;
    }
  }
  void unshifted(std::vector<double>& part, uint32_t begin) const {
    static const double kJump = probability(value(evidence::Row::Jump));
    // Edges by `to`, descending; what an edge adds to its origin comes before that origin is passed on.
    auto edge =
        static_cast<size_t>(std::ranges::upper_bound(edges_, begin + part.size() - 1, {}, &Edge::to) - edges_.begin());
    double after = 0;
    for (size_t i = part.size(); i-- > 0;) {
      if (i + 1 < part.size()) part[i] += part[i + 1] * walk_[begin + i];
      for (; edge > 0 && edges_[edge - 1].to == begin + i; --edge)
        if (edges_[edge - 1].from >= begin) part[edges_[edge - 1].from - begin] += part[i] * edges_[edge - 1].weight;
      const double all = part[i];
      part[i] += after * kJump;
      after += all;
    }
  }

  std::vector<double> walk_;
  /// By position: the sum of the logarithms of 1 + what a skip weighs, before it.
  std::vector<double> passed_;
  std::vector<Edge> edges_;
  /// By `end`.
  std::vector<Back> backs_;
  std::vector<double> delta_;
};

/// Divides the row by its largest element; the logarithm of that.
double scale(std::vector<double>& row) {
  const double largest = *std::ranges::max_element(row);
  if (largest <= 0) return 0;
  for (double& value : row) value /= largest;
  return std::log(largest);
}

/// The probability factor of leaving a call unbound. A call of the model with options stays unbound where the trace and
/// the graph differ: the difference may be at any place, and any of the units that fit the call may be the one that did
/// not run in it. Each pair of both gets its share. Without that, the many pairs of a long graph of equal operators
/// would outweigh an alignment in which everything agrees. A call outside of the model is expected to be unbound.
double unboundWeight(const Program& program, const AlignedCall& call) {
  const double all = probability(call.unbound);
  if (call.unbound > value(evidence::Row::UnboundKnown) || call.penalty < 0 || call.options.empty()) return all;
  return all / program.end() / static_cast<double>(call.options.size());
}

/// The backward pass: what follows after i calls from each position, with the walk to the next match. All rows are held
/// of the block in which the forward pass is, and the first ones of each block ahead: those that a call of the block
/// before may lead to.
class Backward {
 public:
  Backward(const Program& program, std::span<const AlignedCall> calls, const Band& band, WalkSums& walks,
           int64_t blockCells)
      : program_(program),
        calls_(calls),
        band_(band),
        walks_(walks),
        blocks_(blocksOf(band, blockCells)),
        rows_(calls.size() + 1),
        logs_(calls.size() + 1, 0) {
    size_t reach = 1;
    // One block is never left.
    for (size_t i = 0; i < calls.size() && blocks_.size() > 2; ++i)
      for (const Option& option : calls[i].options)
        if (i + option.calls < rows_.size()) reach = std::max(reach, size_t{option.calls});
    for (size_t block = blocks_.size() - 1; block-- > 0;) {
      fill(block);
      if (block > 0) forget(blocks_[block] + reach, blocks_[block + 1]);
    }
  }

  /// Row i of the forward pass, which enters each one in order: from there on, only rows behind it are read.
  void enter(size_t i) {
    if (i != blocks_[block_ + 1]) return;
    forget(blocks_[block_], blocks_[block_ + 1]);
    fill(++block_);
  }
  const std::vector<double>& row(size_t i) const { return rows_[i]; }
  double log(size_t i) const { return logs_[i]; }
  /// What follows an option that begins with call i, in the scale of row i + 1.
  double behind(size_t i, const Option& option) const {
    const size_t to = i + option.calls;
    if (to >= rows_.size() || option.to < band_.low[to] || option.to > band_.high[to]) return 0;
    const double value = rows_[to][option.to - band_.low[to]];
    return option.calls == 1 ? value : value * std::exp(std::min(600.0, logs_[to] - logs_[i + 1]));
  }

 private:
  void fill(size_t block) {
    for (size_t i = blocks_[block + 1]; i-- > blocks_[block];) compute(i);
  }
  void forget(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) std::vector<double>().swap(rows_[i]);
  }
  void compute(size_t i) {
    std::vector<double>& row = rows_[i];
    const uint32_t low = band_.low[i], high = band_.high[i];
    row.assign(high - low + 1, 0.0);
    if (i == calls_.size()) {
      row.back() = 1;
      walks_.backward(row, low);
      return;
    }
    const uint32_t nextLow = band_.low[i + 1], nextHigh = band_.high[i + 1];
    const double unbound = unboundWeight(program_, calls_[i]);
    for (const Option& option : optionsIn(calls_[i].options, low, high))
      row[option.from - low] += behind(i, option) * walks_.weight(option, calls_[i].penalty);
    walks_.backward(row, low);
    for (uint32_t p = std::max(low, nextLow); p <= std::min(high, nextHigh); ++p)
      row[p - low] += rows_[i + 1][p - nextLow] * unbound;
    logs_[i] = logs_[i + 1] + scale(row);
  }

  const Program& program_;
  std::span<const AlignedCall> calls_;
  const Band& band_;
  WalkSums& walks_;
  /// The first row of each block, and the number of rows.
  std::vector<size_t> blocks_;
  /// That of the forward pass.
  size_t block_ = 0;
  /// Empty if not held.
  std::vector<std::vector<double>> rows_;
  std::vector<double> logs_;
};

}  // namespace

std::vector<Posterior> posterior(const Program& program, std::span<const AlignedCall> calls, const Alignment& alignment,
                                 int64_t blockCells) {
  const size_t n = calls.size();
  const bool restarts = std::ranges::any_of(alignment.calls, [](const CallBinding& call) { return call.forward > 0; });
  const Band& band = alignment.band;
  WalkSums walks(program, restarts);
  Backward after(program, calls, band, walks, blockCells);
  // Forward, with the probabilities of each call on the way.
  std::vector<Posterior> result(n);
  struct Pending {
    uint32_t position;
    double weight, log;
  };
  std::map<size_t, std::vector<Pending>> pending;
  /// An option that an earlier call began, with the share of its alignments.
  struct Begun {
    const Option* option;
    double share, log;
  };
  std::map<size_t, std::vector<Begun>> begun;
  std::vector<double> row(band.high[0] + 1, 0.0), next, walked;
  row[0] = 1;
  double logBefore = 0;
  for (size_t i = 0; i < n; ++i) {
    const uint32_t low = band.low[i], high = band.high[i], nextLow = band.low[i + 1], nextHigh = band.high[i + 1];
    const double unbound = unboundWeight(program, calls[i]);
    Posterior& found = result[i];
    after.enter(i);
    const std::vector<double>& rowAfter = after.row(i + 1);
    walked = row;
    walks.forward(walked, low);
    next.assign(nextHigh - nextLow + 1, 0.0);
    double total = 0;
    for (uint32_t p = std::max(low, nextLow); p <= std::min(high, nextHigh); ++p) {
      next[p - nextLow] = row[p - low] * unbound;
      total += next[p - nextLow] * rowAfter[p - nextLow];
    }
    found.unbound = total;
    if (const auto ended = pending.extract(i + 1))
      for (const Pending& one : ended.mapped())
        if (one.position >= nextLow && one.position <= nextHigh)
          next[one.position - nextLow] += one.weight * std::exp(std::min(600.0, one.log - logBefore));
    const auto& chosen = alignment.calls[i].option;
    const auto count = [&](const Option& option, double share) {
      total += share;
      if (chosen && chosen->unit == option.unit) {
        found.chosen += share;
      } else if (share > found.other) {
        found.other = share;
        found.otherAlternative = option.alternative;
      }
    };
    const double log = logBefore + after.log(i + 1);
    if (const auto running = begun.extract(i))
      for (const Begun& one : running.mapped())
        count(*one.option, one.share * std::exp(std::min(600.0, one.log - log)));
    for (const Option& option : optionsIn(calls[i].options, low, high)) {
      if (i + option.calls > n) continue;
      const double weight = walked[option.from - low] * walks.weight(option, calls[i].penalty);
      if (option.calls > 1)
        pending[i + option.calls].push_back({option.to, weight, logBefore});
      else if (option.to >= nextLow && option.to <= nextHigh)
        next[option.to - nextLow] += weight;
      const double share = weight * after.behind(i, option);
      count(option, share);
      for (uint32_t k = 1; k < option.calls; ++k) begun[i + k].push_back({&option, share, log});
    }
    if (total > 0) {
      found.chosen /= total;
      found.other /= total;
      found.unbound /= total;
    }
    std::swap(row, next);
    logBefore += scale(row);
  }
  // An option of several calls is decided at its first one.
  for (size_t i = 0; i < n; ++i) {
    const auto& chosen = alignment.calls[i].option;
    if (!chosen || chosen->calls == 1) continue;
    for (uint32_t k = 1; k < chosen->calls && i + k < n; ++k) result[i + k] = result[i];
    i += chosen->calls - 1;
  }
  return result;
}

}  // namespace amdahlc::binding

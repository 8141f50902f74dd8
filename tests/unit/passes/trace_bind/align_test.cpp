#include "passes/trace_bind/align.h"

#include <algorithm>
#include <functional>
#include <tuple>

#include <doctest/doctest.h>

#include "passes/trace_bind/band.h"
#include "small_cases.h"

namespace amdahlc::binding {
namespace {

using testing::BandCase;
using testing::Dice;
using testing::LongCase;
using testing::Model;
using testing::ModelProgram;
using testing::RandomCalls;

/// Tries every alignment.
class BruteForce {
 public:
  BruteForce(const Program& program, std::span<const AlignedCall> calls, bool restarts)
      : calls_(calls), positions_(program.end() + 1) {
    // Where a trip goes without a way back, and the best walk from each position to each other one, in as many rounds
    // as change anything.
    std::vector<std::vector<Score>> ahead(positions_, std::vector<Score>(positions_, kImpossible));
    for (uint32_t p = 0; p < positions_; ++p) ahead[p][p] = 0;
    for (uint32_t p = 0; p < program.end(); ++p)
      if (program.walk(p) != kImpossible) ahead[p][p + 1] = program.walk(p);
    for (const Program::Edge& edge : program.edges())
      ahead[edge.from][edge.to] = std::max(ahead[edge.from][edge.to], edge.cost);
    close(ahead);
    walk_ = ahead;
    for (uint32_t from = 0; from < positions_; ++from)
      for (uint32_t to = from + 1; to < positions_; ++to)
        if (ahead[from][to] != kImpossible) walk_[from][to] = std::max(walk_[from][to], value(evidence::Row::Jump));
    for (const Program::Loop& loop : program.loops())
      walk_[loop.end][loop.begin] = std::max(walk_[loop.end][loop.begin], loop.cost);
    if (restarts) walk_[program.end()][0] = std::max(walk_[program.end()][0], value(evidence::Row::Restart));
    close(walk_);
  }
  int64_t best() const { return best(0, 0); }
  /// The score of given bindings.
  int64_t scoreOf(const std::vector<CallBinding>& bindings) const {
    int64_t score = 0;
    uint32_t at = 0;
    for (size_t i = 0; i < bindings.size();) {
      const auto& option = bindings[i].option;
      if (!option) {
        score += calls_[i].unbound;
        ++i;
        continue;
      }
      score += int64_t{walk_[at][option->from]} + option->score + calls_[i].penalty;
      at = option->to;
      i += option->calls;
    }
    return score + walk_[at][positions_ - 1];
  }

 private:
  void close(std::vector<std::vector<Score>>& walk) const {
    for (uint32_t via = 0; via < positions_; ++via)
      for (uint32_t from = 0; from < positions_; ++from)
        for (uint32_t to = 0; to < positions_; ++to)
          if (walk[from][via] != kImpossible && walk[via][to] != kImpossible)
            walk[from][to] = std::max(walk[from][to], walk[from][via] + walk[via][to]);
  }
  int64_t best(size_t call, uint32_t at) const {
    if (call == calls_.size()) return walk_[at][positions_ - 1];
    int64_t highest = calls_[call].unbound + best(call + 1, at);
    for (const Option& option : calls_[call].options) {
      if (walk_[at][option.from] == kImpossible || call + option.calls > calls_.size()) continue;
      highest = std::max(highest, int64_t{walk_[at][option.from]} + option.score + calls_[call].penalty +
                                      best(call + option.calls, option.to));
    }
    return highest;
  }

  std::span<const AlignedCall> calls_;
  uint32_t positions_;
  std::vector<std::vector<Score>> walk_;
};

void checkAgainstBruteForce(const Model& model, Dice& dice, size_t calls, bool restarts, int32_t highest = 1200) {
  const ModelProgram built(model);
  const RandomCalls made(dice, built.program, calls, highest);
  const Alignment alignment = align(built.program, made.calls, restarts, {});
  const BruteForce bruteForce(built.program, made.calls, restarts);
  REQUIRE(alignment.score == bruteForce.best());
  REQUIRE(alignment.calls.size() == calls);
  CHECK(bruteForce.scoreOf(alignment.calls) == alignment.score);
}

TEST_CASE("no alignment of a few calls with a line of units is better") {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    Model model;
    addUnits(model, dice, 1 + dice(6));
    checkAgainstBruteForce(model, dice, dice(6), dice(2) == 0);
  }
}

TEST_CASE("none is better where an If lets one branch run") {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    Model model;
    addUnits(model, dice, dice(3));
    addIf(model, dice);
    addUnits(model, dice, dice(2));
    // Enough that a jump would pay.
    checkAgainstBruteForce(model, dice, 5, dice(2) == 0, seed % 2 == 0 ? 1200 : 6000);
  }
}

TEST_CASE("none is better with loops, and an If in one") {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    Model model;
    addUnits(model, dice, dice(2));
    addLoop(model, dice, dice(2) == 0);
    addUnits(model, dice, dice(2));
    if (seed % 4 == 0) addLoop(model, dice, false);
    checkAgainstBruteForce(model, dice, 5, dice(2) == 0);
  }
}

TEST_CASE("none is better where so much is skipped that a jump is cheaper") {
  for (uint32_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    Model model;
    for (uint32_t i = 0; i < 20; ++i) model.heavy("MatMul");
    checkAgainstBruteForce(model, dice, 4, dice(2) == 0, 3000);
  }
}

/// `units` must run; a call fits the unit of its number only.
struct Chain {
  explicit Chain(const Model& model) : built(model) {}
  void call(std::vector<std::pair<UnitId, Score>> fits, Score unbound = value(evidence::Row::UnboundKnown)) {
    std::vector<Option>& made = options.emplace_back();
    for (const auto& [unit, score] : fits) {
      Option option;
      option.unit = option.alternative = unit;
      option.from = built.program.positionOf(unit);
      option.to = option.from + 1;
      option.score = score;
      made.push_back(option);
    }
    unbounds.push_back(unbound);
  }
  void callOf(ir::OpId op) { call({{built.program.unitOf(op), 600}}); }
  std::vector<AlignedCall> calls() const {
    std::vector<AlignedCall> result;
    for (size_t i = 0; i < options.size(); ++i) result.push_back({options[i], 0, unbounds[i]});
    return result;
  }
  ModelProgram built;
  std::vector<std::vector<Option>> options;
  std::vector<Score> unbounds;
};

std::vector<uint32_t> forwardsOf(const Alignment& alignment) {
  std::vector<uint32_t> result;
  for (const CallBinding& call : alignment.calls) result.push_back(call.forward);
  return result;
}

TEST_CASE("more than a jump's worth of skipped units costs one jump") {
  Model model;
  for (int i = 0; i < 30; ++i) model.heavy("MatMul");
  Chain chain(model);
  chain.call({{0, 600}});
  chain.call({{29, 600}});
  const Alignment alignment = align(chain.built.program, chain.calls(), false, {});
  CHECK(alignment.score == 1200 + value(evidence::Row::Jump));
  CHECK(alignment.calls[0].option->unit == 0);
  CHECK(alignment.calls[1].option->unit == 29);
}

TEST_CASE("a restart begins the next forward, where one may begin") {
  Model model;
  const auto a = model.heavy("MatMul"), b = model.heavy("Gemm");
  Chain chain(model);
  for (int i = 0; i < 3; ++i) {
    chain.callOf(a);
    chain.callOf(b);
  }
  const Alignment alignment = align(chain.built.program, chain.calls(), true, {});
  CHECK(alignment.score == 6 * 600 + 2 * value(evidence::Row::Restart));
  CHECK(forwardsOf(alignment) == std::vector<uint32_t>{0, 0, 1, 1, 2, 2});
  const Alignment once = align(chain.built.program, chain.calls(), false, {});
  CHECK(once.score == 2 * 600 + 4 * value(evidence::Row::UnboundKnown));
}

TEST_CASE("a restart is counted where the next forward runs the branch behind") {
  Model model;
  const auto branch = model.node("If");
  model.enter(branch, "then_branch");
  const auto a = model.heavy("MatMul");
  model.leave();
  model.enter(branch, "else_branch");
  const auto b = model.heavy("Gemm");
  model.leave();
  Chain chain(model);
  chain.call({{chain.built.program.unitOf(a), 3000}});
  chain.call({{chain.built.program.unitOf(b), 3000}});
  const Alignment alignment = align(chain.built.program, chain.calls(), true, {});
  REQUIRE(alignment.calls[0].option);
  REQUIRE(alignment.calls[1].option);
  CHECK(forwardsOf(alignment) == std::vector<uint32_t>{0, 1});
}

TEST_CASE("only one branch of an If runs, however much the calls of the other are worth") {
  Model model;
  const auto branch = model.node("If");
  model.enter(branch, "then_branch");
  const auto a = model.heavy("MatMul");
  model.leave();
  model.enter(branch, "else_branch");
  const auto b = model.heavy("Gemm");
  model.leave();
  Chain chain(model);
  chain.call({{chain.built.program.unitOf(a), 9000}});
  chain.call({{chain.built.program.unitOf(b), 9000}});
  const Alignment alignment = align(chain.built.program, chain.calls(), false, {});
  CHECK(alignment.calls[0].option.has_value() != alignment.calls[1].option.has_value());
}

TEST_CASE("trips of a loop are counted, also where they run other branches") {
  Model model;
  const auto before = model.heavy("MatMul");
  const auto loop = model.node("Loop");
  model.enter(loop, "body");
  const auto branch = model.node("If");
  model.enter(branch, "then_branch");
  const auto a = model.heavy("MatMul");
  model.leave();
  model.enter(branch, "else_branch");
  const auto b = model.heavy("Gemm");
  model.leave();
  model.leave();
  Chain chain(model);
  chain.callOf(before);
  for (const ir::OpId op : {a, b, b, a}) chain.callOf(op);
  const Alignment alignment = align(chain.built.program, chain.calls(), false, {});
  for (const CallBinding& call : alignment.calls) CHECK(call.option.has_value());
  CHECK(forwardsOf(alignment) == std::vector<uint32_t>(5, 0));
  REQUIRE(alignment.trips.size() == 1);
  CHECK(alignment.trips.at(loop) == 4);
}

TEST_CASE("trips of an inner loop are summed over those of the outer one") {
  Model model;
  const auto outer = model.node("Loop");
  model.enter(outer, "body");
  const auto a = model.heavy("MatMul");
  const auto inner = model.node("Loop");
  model.enter(inner, "body");
  const auto b = model.heavy("Gemm");
  model.leave();
  model.leave();
  Chain chain(model);
  for (const ir::OpId op : {a, b, b, b, a, b}) chain.callOf(op);
  const Alignment alignment = align(chain.built.program, chain.calls(), false, {});
  CHECK(alignment.trips.at(outer) == 2);
  CHECK(alignment.trips.at(inner) == 4);
}

TEST_CASE("what is known beyond the options decides between equal ones") {
  Model model;
  for (int i = 0; i < 3; ++i) model.view("Reshape");
  for (UnitId wanted = 0; wanted < 3; ++wanted) {
    Chain chain(model);
    chain.call({{0, 100}, {1, 100}, {2, 100}});
    const Alignment alignment = align(chain.built.program, chain.calls(), false,
                                      [&](size_t, const Option& option) { return option.unit == wanted ? 50 : 0; });
    REQUIRE(alignment.calls[0].option);
    CHECK(alignment.calls[0].option->unit == wanted);
  }
}

/// The best score along a line of units, one row after another, without a band.
int64_t bestAlongLine(const Program& program, std::span<const AlignedCall> calls) {
  const uint32_t positions = program.end() + 1;
  std::vector<int64_t> row(positions, kImpossible), next;
  const auto walk = [&](std::vector<int64_t>& at) {
    int64_t far = at[0];
    for (uint32_t p = 1; p < positions; ++p) {
      far = std::max(far, at[p - 1]);
      at[p] = std::max({at[p], at[p - 1] + program.walk(p - 1), far + value(evidence::Row::Jump)});
    }
  };
  row[0] = 0;
  walk(row);
  for (const AlignedCall& call : calls) {
    next.assign(positions, kImpossible);
    for (uint32_t p = 0; p < positions; ++p) next[p] = row[p] + call.unbound;
    for (const Option& option : call.options)
      next[option.to] = std::max(next[option.to], row[option.from] + option.score);
    std::swap(row, next);
    walk(row);
  }
  return row.back();
}

TEST_CASE("a band is visited only, and the result is that of all positions") {
  constexpr UnitId kUnits = 1200;
  Model model;
  for (UnitId i = 0; i < kUnits; ++i) model.ruled("Relu", "c" + std::to_string(i), "aten.relu.default");
  for (uint32_t seed = 0; seed < 3; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    Chain chain(model);
    for (UnitId unit = 0; unit < kUnits; ++unit) {
      if (dice(10) == 0) continue;                 // did not run
      if (dice(10) == 0) chain.call({}, -30);      // unknown
      std::vector<std::pair<UnitId, Score>> fits;  // a block of ten repeats
      for (UnitId like = unit % 10; like < kUnits; like += 10) fits.emplace_back(like, 600);
      if (dice(10) == 0) fits = {{unit, 600}};
      chain.call(fits);
    }
    const auto calls = chain.calls();
    const Alignment alignment = align(chain.built.program, calls, false, {});
    CHECK(alignment.score == bestAlongLine(chain.built.program, calls));
    const auto all = static_cast<int64_t>((calls.size() + 1) * (kUnits + 1));
    REQUIRE(all > kExactCells);
    CHECK(alignment.cells < all / 4);
    CHECK(alignment.band.high[calls.size() / 2] - alignment.band.low[calls.size() / 2] < kUnits / 4);
  }
}

TEST_CASE("a band is widened where the anchors mislead") {
  constexpr UnitId kUnits = 1200;
  Model model;
  for (UnitId i = 0; i < kUnits; ++i) model.ruled("Relu", "c" + std::to_string(i), "aten.relu.default");
  Chain chain(model);
  // All calls but the first and the last belong 300 units behind the line between those two.
  chain.call({{0, 600}});
  for (UnitId i = 1; i + 1 < kUnits; ++i) {
    const UnitId unit = i < 400 ? i : std::min(i + 300, kUnits - 2);
    chain.call({{unit - 1, 1}, {unit, 600}});
  }
  chain.call({{kUnits - 1, 600}});
  const auto calls = chain.calls();
  const Alignment alignment = align(chain.built.program, calls, false, {});
  CHECK(alignment.score == bestAlongLine(chain.built.program, calls));
  REQUIRE(alignment.calls[600].option);
  CHECK(alignment.calls[600].option->unit == 900);
}

TEST_CASE("calls next to each other that are far apart in the graph are aligned") {
  constexpr UnitId kUnits = 1200;
  Model model;
  for (UnitId i = 0; i < kUnits; ++i) model.ruled("Relu", "c" + std::to_string(i), "aten.relu.default");
  Chain chain(model);
  // Anchors with nothing between them but a jump, in forwards without a mark.
  for (UnitId forward = 0; forward < 20; ++forward)
    for (const UnitId begin : {UnitId{0}, kUnits / 2})
      for (UnitId unit = begin; unit < begin + 30; ++unit) chain.call({{unit, 600}});
  const auto calls = chain.calls();
  const Alignment alignment = align(chain.built.program, calls, false, {});
  CHECK(alignment.score == bestAlongLine(chain.built.program, calls));
}

TEST_CASE("a long segment with two forwards is aligned with a restart") {
  constexpr UnitId kUnits = 800;
  Model model;
  for (UnitId i = 0; i < kUnits; ++i) model.ruled("Relu", "c" + std::to_string(i), "aten.relu.default");
  Chain chain(model);
  for (UnitId i = 0; i < 2 * kUnits; ++i) chain.call({{i % kUnits, 600}});
  const auto calls = chain.calls();
  for (const Bonus& bonus : {Bonus(), Bonus([](size_t, const Option&) -> Score { return 1; })}) {
    const Alignment alignment = align(chain.built.program, calls, true, bonus);
    CHECK(alignment.score == 2 * kUnits * (bonus ? 601 : 600) + value(evidence::Row::Restart));
    CHECK(alignment.calls.front().forward == 0);
    CHECK(alignment.calls.back().forward == 1);
  }
}

void checkEqual(const Alignment& found, const Alignment& expected) {
  CHECK(found.score == expected.score);
  CHECK(found.trips == expected.trips);
  CHECK(found.cells == expected.cells);
  CHECK(found.band.low == expected.band.low);
  CHECK(found.band.high == expected.band.high);
  REQUIRE(found.calls.size() == expected.calls.size());
  const auto fields = [](const CallBinding& call) {
    const Option option = call.option.value_or(Option{});
    return std::tuple(call.option.has_value(), option.unit, option.alternative, option.from, option.to, option.score,
                      option.calls, call.first, call.forward, call.leftover);
  };
  for (size_t i = 0; i < found.calls.size(); ++i) {
    CAPTURE(i);
    CHECK(fields(found.calls[i]) == fields(expected.calls[i]));
  }
}

TEST_CASE("an alignment in blocks of any size is the same") {
  size_t several = 0, restarted = 0, trips = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const LongCase of(seed);
    const Program& program = of.built.program;
    const Bonus bonus = [](size_t call, const Option& option) -> Score { return (call + option.unit) % 3 * 50; };
    const Alignment all = align(program, of.made.calls, of.restarts, seed % 2 == 0 ? bonus : Bonus());
    // A block that is computed twice is counted once.
    CHECK(all.cells == static_cast<int64_t>((of.made.calls.size() + 1) * (program.end() + 1)));
    // One row, then some.
    for (const int64_t rows : {1, 2, 3, 7, 20}) {
      CAPTURE(rows);
      const int64_t cells = rows * (program.end() + 1);
      checkEqual(align(program, of.made.calls, of.restarts, seed % 2 == 0 ? bonus : Bonus(), cells), all);
    }
    for (const CallBinding& call : all.calls) several += call.option && call.option->calls > 2;
    restarted += all.calls.back().forward > 0;
    trips += all.trips.size();
  }
  CHECK(several > 0);
  CHECK(restarted > 0);
  CHECK(trips > 0);
}

TEST_CASE("an alignment within a band is the same in blocks of any size") {
  for (uint32_t seed = 0; seed < 3; ++seed) {
    CAPTURE(seed);
    const BandCase of(seed);
    const Alignment all = align(of.built.program, of.calls, false, {});
    CHECK(all.band.high[500] - all.band.low[500] < BandCase::kUnits);
    for (const int64_t cells : {1, 400, 5000, 100'000})
      checkEqual(align(of.built.program, of.calls, false, {}, cells), all);
  }
}

TEST_CASE("scores of more calls than a Score can hold add up") {
  Model model;
  model.heavy("MatMul");
  Chain chain(model);
  for (int i = 0; i < 6000; ++i) chain.call({}, kImpossible / 2);
  chain.call({{0, 600}});
  const Alignment alignment = align(chain.built.program, chain.calls(), false, {});
  CHECK(alignment.score == int64_t{6000} * (kImpossible / 2) + 600);
  CHECK(alignment.calls.back().option.has_value());
}

TEST_CASE("blocks hold as many rows as fit, but at least one") {
  const Band band{{0, 0, 2, 3, 3}, {3, 4, 4, 4, 30}};
  using Rows = std::vector<size_t>;
  CHECK(blocksOf(band, 1) == Rows{0, 1, 2, 3, 4, 5});
  CHECK(blocksOf(band, 9) == Rows{0, 2, 4, 5});
  CHECK(blocksOf(band, 13) == Rows{0, 3, 4, 5});
  CHECK(blocksOf(band, 42) == Rows{0, 5});
  CHECK(blocksOf(band, 41) == Rows{0, 4, 5});
}

TEST_CASE("a band covers the anchors, and its borders never go back") {
  Model model;
  for (UnitId i = 0; i < 200; ++i) model.ruled("Relu");
  Chain chain(model);
  for (const UnitId unit : {5u, 150u, 40u, 80u, 199u}) chain.call({{unit, 600}});
  const auto calls = chain.calls();
  const Band band =
      bandAroundAnchors(chain.built.program, calls.size(), Anchors(chain.built.program, calls).chain(), 10);
  REQUIRE(band.low.size() == 6);
  CHECK(band.low.front() == 0);
  CHECK(band.high.back() == chain.built.program.end());
  CHECK(std::is_sorted(band.low.begin(), band.low.end()));
  CHECK(std::is_sorted(band.high.begin(), band.high.end()));
  // 150 is no part of the longest chain.
  for (const auto& [row, unit] : std::vector<std::pair<size_t, uint32_t>>{{0, 5}, {2, 40}, {3, 80}, {4, 199}}) {
    CHECK(band.low[row] <= unit);
    CHECK(band.high[row] >= unit);
  }
  CHECK(band.high[1] < 150);
}

}  // namespace
}  // namespace amdahlc::binding

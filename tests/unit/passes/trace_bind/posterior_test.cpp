#include <algorithm>
#include <cmath>
#include <map>

#include <doctest/doctest.h>

#include "passes/trace_bind/align.h"
#include "small_cases.h"

namespace amdahlc::binding {
namespace {

using testing::BandCase;
using testing::Dice;
using testing::LongCase;
using testing::Model;
using testing::ModelProgram;
using testing::RandomCalls;

double weight(Score score) { return score == kImpossible ? 0 : std::exp(score / 100.0); }

/// Sums over every alignment, one after another.
class SumsOverAlignments {
 public:
  SumsOverAlignments(const Program& program, std::span<const AlignedCall> calls, bool restarts)
      : program_(program), calls_(calls), positions_(program.end() + 1), end_(program.end()) {
    // Ways ahead without a jump, then with one, then with one way back.
    Matrix ahead(positions_, std::vector<double>(positions_, 0));
    for (uint32_t from = 0; from < positions_; ++from) {
      ahead[from][from] = 1;
      for (uint32_t to = from + 1; to < positions_; ++to) {
        ahead[from][to] = ahead[from][to - 1] * skipped(to - 1);
        for (const Program::Edge& edge : program.edges())
          if (edge.to == to && edge.from >= from) ahead[from][to] += ahead[from][edge.from] * weight(edge.cost);
      }
    }
    Matrix jumped = ahead;
    for (uint32_t from = 0; from < positions_; ++from)
      for (uint32_t over = from + 1; over < positions_; ++over)
        for (uint32_t to = over; to < positions_; ++to)
          if (ahead[from][over] > 0) jumped[from][to] += weight(value(evidence::Row::Jump)) * ahead[over][to];
    walk_ = jumped;
    for (uint32_t from = 0; from < positions_; ++from) {
      for (const Program::Loop& loop : program.loops())
        for (uint32_t to = loop.begin; to <= loop.end; ++to)
          walk_[from][to] += jumped[from][loop.end] * weight(loop.cost) * jumped[loop.begin][to];
      for (uint32_t to = 0; restarts && to < positions_; ++to)
        walk_[from][to] += jumped[from][end_] * weight(value(evidence::Row::Restart)) * jumped[0][to];
    }
    bound_.resize(calls.size());
    unbound_.resize(calls.size());
    total_ = visit(0, 0, 1);
  }
  /// Of a call: that its unit is this one, and that it has none.
  double bound(size_t call, UnitId unit) const {
    const auto found = bound_[call].find(unit);
    return found == bound_[call].end() ? 0 : found->second / total_;
  }
  double unbound(size_t call) const { return unbound_[call] / total_; }

 private:
  using Matrix = std::vector<std::vector<double>>;
  /// A unit is skipped or not, and the two sum to 1.
  double skipped(uint32_t position) const {
    const double ratio = weight(program_.walk(position));
    return ratio / (1 + ratio);
  }
  double matched(const Option& option, Score penalty) const {
    double result = weight(option.score + penalty);
    for (uint32_t position = option.from; position < option.to; ++position)
      result /= 1 + weight(program_.walk(position));
    return result;
  }
  /// A call of the model that the graph has operators for may miss any of its units, anywhere.
  double leftOut(const AlignedCall& call) const {
    const bool shared =
        call.unbound <= value(evidence::Row::UnboundKnown) && call.penalty == 0 && !call.options.empty();
    return weight(call.unbound) / (shared ? end_ * static_cast<double>(call.options.size()) : 1);
  }
  double visit(size_t call, uint32_t at, double before) {
    if (call == calls_.size()) return before * walk_[at][end_];
    const double without = visit(call + 1, at, before * leftOut(calls_[call]));
    unbound_[call] += without;
    double sum = without;
    for (const Option& option : calls_[call].options) {
      if (call + option.calls > calls_.size()) continue;
      const double with = visit(call + option.calls, option.to,
                                before * walk_[at][option.from] * matched(option, calls_[call].penalty));
      for (uint32_t k = 0; k < option.calls; ++k) bound_[call + k][option.unit] += with;
      sum += with;
    }
    return sum;
  }

  const Program& program_;
  std::span<const AlignedCall> calls_;
  uint32_t positions_, end_;
  Matrix walk_;
  std::vector<std::map<UnitId, double>> bound_;
  std::vector<double> unbound_;
  double total_ = 0;
};

/// Where a walk leads to is open, so scores are low: else one alignment is certain.
void checkAgainstBruteForce(const Model& model, Dice& dice, bool restarts, bool severalCalls) {
  const ModelProgram built(model);
  const RandomCalls made(dice, built.program, 4, 300, severalCalls);
  const Alignment alignment = align(built.program, made.calls, restarts, {});
  // A restart counts only where the best alignment has one.
  const bool restarted = std::any_of(alignment.calls.begin(), alignment.calls.end(),
                                     [](const CallBinding& call) { return call.forward > 0; });
  const SumsOverAlignments bruteForce(built.program, made.calls, restarted);
  const auto found = posterior(built.program, made.calls, alignment);
  REQUIRE(found.size() == 4);
  size_t first = 0;  // of the calls that an option takes
  for (size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    const auto& option = alignment.calls[i].option;
    if (i < first) {
      CHECK(found[i].chosen == found[i - 1].chosen);
      continue;
    }
    if (option) first = i + option->calls;
    CHECK(std::abs(found[i].chosen - (option ? bruteForce.bound(i, option->unit) : 0)) < 1e-6);
    CHECK(std::abs(found[i].unbound - bruteForce.unbound(i)) < 1e-6);
    CHECK(found[i].chosen + found[i].other + found[i].unbound < 1 + 1e-6);
    if (!severalCalls && found[i].other > 0) {
      double most = 0;
      for (const Option& other : made.options[i])
        if (!option || other.unit != option->unit) most = std::max(most, bruteForce.bound(i, other.unit));
      CHECK(std::abs(found[i].other - most) < 1e-6);
      CHECK(std::abs(found[i].other - bruteForce.bound(i, found[i].otherAlternative)) < 1e-6);
    }
  }
}

TEST_CASE("probabilities are the shares of all alignments along a line of units") {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    Model model;
    addUnits(model, dice, 1 + dice(5));
    checkAgainstBruteForce(model, dice, dice(2) == 0, false);
  }
}

TEST_CASE("they are where options take several calls") {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    Model model;
    addUnits(model, dice, 1 + dice(4));
    checkAgainstBruteForce(model, dice, false, true);
  }
}

TEST_CASE("they are where an If lets one branch run") {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    Model model;
    addUnits(model, dice, dice(2));
    addIf(model, dice);
    addUnits(model, dice, dice(2));
    checkAgainstBruteForce(model, dice, dice(2) == 0, false);
  }
}

TEST_CASE("they are where a body may run again") {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    Model model;
    addUnits(model, dice, dice(2));
    addLoop(model, dice, false);
    addUnits(model, dice, dice(2));
    checkAgainstBruteForce(model, dice, false, false);
  }
}

struct Line {
  explicit Line(const Model& model) : built(model) {}
  void call(const std::vector<std::pair<UnitId, Score>>& fits, Score unbound) {
    std::vector<Option>& made = options.emplace_back();
    for (const auto& [unit, score] : fits) {
      Option option;
      option.unit = option.alternative = unit;
      option.from = unit;
      option.to = unit + 1;
      option.score = score;
      made.push_back(option);
    }
    unbounds.push_back(unbound);
  }
  std::vector<Posterior> probabilities() const {
    std::vector<AlignedCall> calls;
    for (size_t i = 0; i < options.size(); ++i) calls.push_back({options[i], 0, unbounds[i]});
    return posterior(built.program, calls, align(built.program, calls, false, {}));
  }
  ModelProgram built;
  std::vector<std::vector<Option>> options;
  std::vector<Score> unbounds;
};

TEST_CASE("a call that fits two equal units has half the probability for each, and names the other") {
  Model model;
  model.heavy("MatMul");
  model.heavy("MatMul");
  Line line(model);
  line.call({{0, 600}, {1, 600}}, -2000);
  const auto found = line.probabilities();
  CHECK(found[0].chosen == doctest::Approx(0.5).epsilon(1e-6));
  CHECK(found[0].other == doctest::Approx(0.5).epsilon(1e-6));
  CHECK(found[0].unbound < 1e-6);
  CHECK(found[0].otherAlternative <= 1);
}

TEST_CASE("a run that fits one layer as well as the next is ambiguous in all its calls") {
  Model model;
  for (int i = 0; i < 40; ++i) model.heavy("MatMul");
  Line line(model);
  // 39 calls for 40 equal units: any one may be missing.
  for (int i = 0; i < 39; ++i) {
    std::vector<std::pair<UnitId, Score>> fits;
    for (UnitId unit = 0; unit < 40; ++unit) fits.emplace_back(unit, 600);
    line.call(fits, -2000);
  }
  const auto found = line.probabilities();
  for (size_t i = 0; i < found.size(); ++i) {
    // Unit i or unit i + 1, by which of the 40 units is missing.
    const double first = static_cast<double>(39 - i) / 40, second = static_cast<double>(i + 1) / 40;
    CHECK(std::min(found[i].chosen, found[i].other) == doctest::Approx(std::min(first, second)).epsilon(1e-5));
    CHECK(std::max(found[i].chosen, found[i].other) == doctest::Approx(std::max(first, second)).epsilon(1e-5));
  }
}

TEST_CASE("equal calls of as many equal units are as certain in a long run as in a short one") {
  for (const UnitId count : {10U, 100U, 1000U}) {
    CAPTURE(count);
    Model model;
    for (UnitId i = 0; i < count; ++i) model.ruled("Relu");
    Line line(model);
    std::vector<std::pair<UnitId, Score>> fits;
    for (UnitId unit = 0; unit < count; ++unit) fits.emplace_back(unit, 600);
    for (UnitId i = 0; i < count; ++i) line.call(fits, value(evidence::Row::UnboundKnown));
    for (const Posterior& found : line.probabilities()) CHECK(found.chosen > 0.999);
  }
}

TEST_CASE("chosen, other and unbound are all there is with two options") {
  Model model;
  model.heavy("MatMul");
  model.ruled("Relu");
  Line line(model);
  line.call({{0, 100}, {1, 150}}, -100);
  const auto found = line.probabilities();
  CHECK(found[0].chosen + found[0].other + found[0].unbound == doctest::Approx(1).epsilon(1e-9));
  CHECK(found[0].unbound > 0);
}

/// Bit by bit.
void checkEqual(const std::vector<Posterior>& found, const std::vector<Posterior>& expected) {
  REQUIRE(found.size() == expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i].chosen == expected[i].chosen);
    CHECK(found[i].other == expected[i].other);
    CHECK(found[i].otherAlternative == expected[i].otherAlternative);
    CHECK(found[i].unbound == expected[i].unbound);
  }
}

TEST_CASE("probabilities in blocks of any size are the same") {
  for (uint32_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const LongCase of(seed);
    const Program& program = of.built.program;
    const Alignment alignment = align(program, of.made.calls, of.restarts, {});
    const auto all = posterior(program, of.made.calls, alignment);
    // One row, then some.
    for (const int64_t rows : {1, 2, 3, 7, 20}) {
      CAPTURE(rows);
      checkEqual(posterior(program, of.made.calls, alignment, rows * (program.end() + 1)), all);
    }
  }
}

TEST_CASE("calls without options are unbound in blocks of any size") {
  Model model;
  model.heavy("MatMul");
  const ModelProgram built(model);
  const std::vector<AlignedCall> calls(5, AlignedCall{{}, 0, -30});
  const Alignment alignment = align(built.program, calls, false, {});
  for (const int64_t cells : {1, 4, 100}) {
    const auto found = posterior(built.program, calls, alignment, cells);
    REQUIRE(found.size() == 5);
    for (const Posterior& one : found) CHECK(one.unbound == 1);
  }
}

TEST_CASE("probabilities within a band are the same in blocks of any size") {
  for (uint32_t seed = 0; seed < 3; ++seed) {
    CAPTURE(seed);
    const BandCase of(seed);
    const Alignment alignment = align(of.built.program, of.calls, false, {});
    CHECK(alignment.band.high[500] - alignment.band.low[500] < BandCase::kUnits);
    const auto all = posterior(of.built.program, of.calls, alignment);
    for (const int64_t cells : {1, 400, 5000, 100'000})
      checkEqual(posterior(of.built.program, of.calls, alignment, cells), all);
  }
}

TEST_CASE("a long trace neither overflows nor vanishes") {
  constexpr UnitId kUnits = 600;
  Model model;
  for (UnitId i = 0; i < kUnits; ++i) model.heavy("MatMul");
  Line line(model);
  for (UnitId i = 0; i < kUnits; ++i) line.call({{i, 2000}}, -200);
  for (const Posterior& found : line.probabilities()) CHECK(found.chosen > 0.999999);
}

}  // namespace
}  // namespace amdahlc::binding

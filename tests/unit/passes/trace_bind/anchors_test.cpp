#include "passes/trace_bind/anchors.h"

#include <doctest/doctest.h>

#include "small_cases.h"

namespace amdahlc::binding {
namespace {

using testing::Dice;
using testing::Model;
using testing::ModelProgram;

/// Units of eight kinds in no regular order, and calls of these kinds.
struct Kinds {
  static constexpr UnitId kUnits = 1500;
  explicit Kinds(Model model) : built(model), options(8) {
    Dice dice(1);
    for (UnitId unit = 0; unit < kUnits; ++unit) {
      kindOf.push_back(dice(8));
      Option option;
      option.unit = unit;
      option.from = unit;
      option.to = unit + 1;
      option.score = 600;
      options[kindOf.back()].push_back(option);
    }
  }
  void call(size_t kind) { calls.push_back({options[kind], 0, value(evidence::Row::UnboundKnown)}); }

  ModelProgram built;
  std::vector<std::vector<Option>> options;
  std::vector<size_t> kindOf;
  std::vector<AlignedCall> calls;
};

Model equalUnits() {
  Model model;
  for (UnitId unit = 0; unit < Kinds::kUnits; ++unit) model.ruled("Relu");
  return model;
}

TEST_CASE("anchors lead along the program, and back where it begins again") {
  Kinds run(equalUnits());
  for (int forward = 0; forward < 3; ++forward) {
    for (UnitId unit = 0; unit < Kinds::kUnits; ++unit)
      if (unit % 100 != 50) run.call(run.kindOf[unit]);
  }
  const size_t length = run.calls.size() / 3;
  const Anchors anchors(run.built.program, run.calls);
  CHECK(anchors.areFamiliar());
  CHECK(anchors.restarts() == std::vector<size_t>{length, 2 * length});
  const Anchors once(run.built.program, std::span(run.calls).first(length));
  CHECK(once.restarts().empty());
  const auto chain = once.chain();
  CHECK(chain.size() > length / 2);
  // The unit beside one that no call ran may be of the same kind.
  for (const Anchor& anchor : chain) {
    const size_t position = anchor.call + anchor.call / 99 + (anchor.call % 99 >= 50 ? 1 : 0);
    CHECK(anchor.position >= position);
    CHECK(anchor.position <= position + 1);
  }
}

TEST_CASE("calls that run no stretch of the program are given up before the band is widened") {
  Kinds run(equalUnits());
  Dice dice(2);
  for (UnitId unit = 0; unit < Kinds::kUnits; ++unit) run.call(dice(8));
  const Anchors anchors(run.built.program, run.calls);
  CHECK_FALSE(anchors.areFamiliar());
  CHECK(anchors.restarts().empty());
  const Alignment alignment = align(run.built.program, run.calls, true, {});
  CHECK(alignment.hopeless);
  CHECK(alignment.cells < 200 * Kinds::kUnits);
}

}  // namespace
}  // namespace amdahlc::binding

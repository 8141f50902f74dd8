#include "passes/trace_bind/band.h"

#include <doctest/doctest.h>

#include "small_cases.h"

namespace amdahlc::binding {
namespace {

using testing::Dice;
using testing::Model;
using testing::ModelProgram;

TEST_CASE("each trip of a long loop has a band of its own") {
  constexpr UnitId kUnits = 400;
  constexpr size_t kTrips = 8, kKinds = 8;
  Model model;
  const auto loop = model.node("Loop");
  model.enter(loop, "body");
  std::vector<ir::OpId> body;
  for (UnitId i = 0; i < kUnits; ++i) body.push_back(model.ruled("Relu"));
  model.leave();
  const ModelProgram built(model);
  Dice dice(1);
  std::vector<size_t> kindOf;
  std::vector<std::vector<Option>> options(kKinds);
  for (const ir::OpId op : body) {
    kindOf.push_back(dice(kKinds));
    Option option;
    option.unit = built.program.unitOf(op);
    option.from = built.program.positionOf(option.unit);
    option.to = option.from + 1;
    option.score = 600;
    options[kindOf.back()].push_back(option);
  }
  std::vector<AlignedCall> calls;
  for (size_t i = 0; i < kTrips * kUnits; ++i) calls.push_back({options[kindOf[i % kUnits]], 0, -200});
  const Alignment alignment = align(built.program, calls, false, {});
  CHECK(alignment.trips.at(loop) == kTrips);
  size_t right = 0;
  for (size_t i = 0; i < calls.size(); ++i)
    right += alignment.calls[i].option && alignment.calls[i].option->unit == built.program.unitOf(body[i % kUnits]);
  CHECK(right == calls.size());
  const auto all = static_cast<int64_t>((calls.size() + 1) * (built.program.end() + 1));
  REQUIRE(all > kExactCells);
  CHECK(alignment.cells < all * 3 / 4);
  const Alignment inBlocks = align(built.program, calls, false, {}, 10'000);
  CHECK(inBlocks.score == alignment.score);
  const std::vector<Posterior> probabilities = posterior(built.program, calls, alignment);
  CHECK(probabilities[calls.size() / 2].chosen > 0.99);
}

}  // namespace
}  // namespace amdahlc::binding

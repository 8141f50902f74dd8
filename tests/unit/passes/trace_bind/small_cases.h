/// Small programs and calls at random, for tests that try every alignment.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "models.h"
#include "passes/trace_bind/align.h"

namespace amdahlc::testing {

/// Numbers that are the same on every platform.
class Dice {
 public:
  explicit Dice(uint32_t seed) : engine_(seed) {}
  /// 0 to below `sides`.
  uint32_t operator()(uint32_t sides) { return static_cast<uint32_t>(engine_() % sides); }
  int32_t between(int32_t low, int32_t high) { return low + static_cast<int32_t>((*this)(high - low + 1u)); }

 private:
  std::mt19937 engine_;
};

inline void addUnits(Model& model, Dice& dice, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    switch (dice(4)) {
      case 0:
        model.heavy("MatMul");
        break;
      case 1:
        model.ruled("Relu", "c" + std::to_string(model.module.ops.size()), "aten.relu.default");
        break;
      case 2:
        model.ruled("Tanh");
        break;
      default:
        model.view("Reshape");
        break;
    }
  }
}

inline ir::OpId addIf(Model& model, Dice& dice) {
  const ir::OpId branch = model.node("If");
  for (const std::string_view name : {"then_branch", "else_branch"}) {
    model.enter(branch, std::string(name));
    addUnits(model, dice, dice(3));
    model.leave();
  }
  return branch;
}

inline ir::OpId addLoop(Model& model, Dice& dice, bool withIf) {
  const ir::OpId loop = model.node("Loop");
  model.enter(loop, "body");
  addUnits(model, dice, 1 + dice(2));
  if (withIf) addIf(model, dice);
  model.leave();
  return loop;
}

/// Calls with options of their own: up to three each, of one call or of two.
struct RandomCalls {
  RandomCalls(Dice& dice, const binding::Program& program, size_t count, int32_t highest, bool severalCalls = true) {
    options.resize(count);
    for (size_t i = 0; i < count; ++i) {
      const uint32_t wanted = dice(4);
      for (uint32_t k = 0; k < wanted; ++k) {
        const auto unit = dice(static_cast<uint32_t>(program.units().size()));
        binding::Option option;
        option.unit = unit;
        option.alternative = unit;
        option.from = program.positionOf(unit);
        option.to = option.from + 1;
        option.calls = severalCalls && dice(4) == 0 ? 2 : 1;
        option.score = dice.between(-300, highest);
        const auto same = [&](const binding::Option& other) {
          return other.from == option.from && other.calls == option.calls;
        };
        if (std::none_of(options[i].begin(), options[i].end(), same)) options[i].push_back(option);
      }
      std::stable_sort(options[i].begin(), options[i].end(),
                       [](const auto& a, const auto& b) { return a.from < b.from; });
      calls.push_back({options[i], dice(4) == 0 ? -150 : 0, dice.between(-300, 0)});
    }
  }
  std::vector<std::vector<binding::Option>> options;
  std::vector<binding::AlignedCall> calls;
};

/// Too many calls to try every alignment, for a model that may have an If and a loop. Every fourth case has
/// options of one call only, the others of up to five.
struct LongCase {
  explicit LongCase(uint32_t seed) : LongCase(Dice(seed), seed % 4 != 0) {}
  LongCase(Dice dice, bool severalCalls)
      : model(randomModel(dice)),
        built(model),
        made(dice, built.program, 10 + dice(50), 600, severalCalls),
        restarts(dice(2) == 0) {
    for (std::vector<binding::Option>& options : made.options)
      for (binding::Option& option : options)
        if (option.calls > 1) option.calls += dice(4);
  }
  static Model randomModel(Dice& dice) {
    Model model;
    addUnits(model, dice, 1 + dice(6));
    if (dice(2) == 0) addIf(model, dice);
    if (dice(2) == 0) addLoop(model, dice, dice(2) == 0);
    addUnits(model, dice, dice(6));
    return model;
  }
  Model model;
  ModelProgram built;
  RandomCalls made;
  bool restarts;
};

/// Calls of most units of a line so long that only a band is visited. Each fits twelve units.
struct BandCase {
  static constexpr binding::UnitId kUnits = 1200;
  explicit BandCase(uint32_t seed) : model(line()), built(model) {
    Dice dice(seed);
    for (binding::UnitId unit = 0; unit < kUnits; ++unit) {
      if (dice(10) == 0) continue;
      std::vector<binding::Option>& made = options.emplace_back();
      for (binding::UnitId like = unit % 100; like < kUnits; like += 100) {
        binding::Option& option = made.emplace_back();
        option.unit = option.alternative = like;
        option.from = like;
        option.to = like + 1;
        option.score = dice.between(200, 600);
        option.calls = dice(8) == 0 ? 2 + dice(3) : 1;
      }
      if (dice(10) == 0) made = {made[unit / 100]};
    }
    for (const auto& made : options) calls.push_back({made, 0, -200});
  }
  static Model line() {
    Model model;
    for (binding::UnitId i = 0; i < kUnits; ++i) model.ruled("Relu", "c" + std::to_string(i), "aten.relu.default");
    return model;
  }
  Model model;
  ModelProgram built;
  std::vector<std::vector<binding::Option>> options;
  std::vector<binding::AlignedCall> calls;
};

}  // namespace amdahlc::testing
